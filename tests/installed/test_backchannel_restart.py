"""Back-channel logout through faults: processes that die, a database that is away, a bad row."""

import logging
import signal
import threading

import pytest
from sqlalchemy import insert, select, text, update

from authservice import clock
from authservice.crypto.secret_values import random_id
from authservice.models import logout_notice, oauth_client
from authservice.oauth.logout import backchannel
from authservice.oauth.logout.backchannel import BackchannelLogout
from tests.helpers.browser import ORIGIN
from tests.helpers.processes import LocalService
from tests.helpers.published_keys import decoded
from tests.helpers.refusing_database import refuse


class Notices:
    """The queue of notices to one client."""

    def __init__(self, database, client):
        self._database = database
        self.client = client

    def leave(self, session_id="s" * 32):
        """Leave a notice that is due now."""
        row = {
            "id": random_id(),
            "client_id": self.client.client_id,
            "user_id": "local-developer",
            "session_id": session_id,
            "created_at": clock.now(),
            "due_at": clock.now(),
            "attempts": 0,
        }
        with self._database.transaction() as connection:
            connection.execute(insert(logout_notice), row)

    def left(self):
        return self._database.reader.execute(select(logout_notice)).all()

    def sign_with(self, alg):
        """Change the algorithm of the client's tokens."""
        with self._database.transaction() as connection:
            connection.execute(update(oauth_client).values(id_token_signed_response_alg=alg))

    def told(self, received):
        """Return the session of which a request tells."""
        return decoded(received.token, self.client.http)[1]["sid"]


@pytest.fixture
def notices(database, told_client):
    return Notices(database, told_client)


def rename(database, old, new):
    with database.transaction() as connection:
        connection.execute(text(f"ALTER TABLE {old} RENAME TO {new}"))


class Watch(logging.Handler):
    """Sets an event at the first log record that holds a text."""

    def __init__(self, wanted):
        super().__init__()
        self._wanted = wanted
        self.seen = threading.Event()

    def emit(self, record):
        if self._wanted in record.getMessage():
            self.seen.set()


@pytest.fixture
def watch():
    """Give a watch over what is logged."""
    logger = logging.getLogger("authservice.oauth.logout.backchannel")
    begun = []

    def begin(wanted):
        begun.append(Watch(wanted))
        logger.addHandler(begun[-1])
        return begun[-1].seen

    yield begin
    for handler in begun:
        logger.removeHandler(handler)


def test_a_process_that_dies_during_an_attempt_only_delays_it(
    notices, receiver, by_hand, turnable_clock, database_url, engine
):
    notices.leave()
    receiver.hold()
    process = LocalService("/nowhere", AUTH_DATABASE_URL=database_url, **engine.local_environ)
    receiver.next()
    process.stop(signal.SIGKILL)
    receiver.release()

    (left,) = notices.left()
    assert left.attempts == 1
    # The lease is by that process's own clock, which went on.
    turnable_clock.moment = left.due_at
    turnable_clock.advance(milliseconds=-1)
    assert by_hand.attempt_one() is False
    turnable_clock.advance(milliseconds=1)
    assert by_hand.attempt_one() is True

    assert notices.told(receiver.next()) == left.session_id
    assert notices.left() == []


def test_what_was_not_told_before_a_stop_is_told_after_the_next_start(
    notices, receiver, by_hand, make_app
):
    notices.leave()

    make_app()

    assert notices.told(receiver.next()) == "s" * 32


@pytest.fixture
def _often_looking(monkeypatch):
    monkeypatch.setattr(backchannel, "_IDLE_SECONDS", 0.01)


@pytest.mark.usefixtures("_often_looking")
def test_what_another_process_left_is_found_without_being_called(notices, receiver):
    notices.leave()

    assert notices.told(receiver.next()) == "s" * 32


def test_stopping_waits_for_the_attempt_that_is_under_way(notices, receiver, teller):
    receiver.hold()
    notices.leave()
    teller.wake()
    receiver.next()
    stopping = threading.Thread(target=teller.stop)
    stopping.start()
    receiver.release()
    stopping.join()

    assert notices.left() == []


def test_one_that_was_never_started_can_be_stopped(app):
    parts = app.registry.components

    BackchannelLogout(parts.settings, parts.database, parts.signing_keys).stop()


def test_a_database_that_is_away_only_delays_it(notices, receiver, teller, database, watch):
    failed = watch("logout notices wait for the database")
    rename(database, "logout_notice", "away")
    teller.wake()
    assert failed.wait(20)

    rename(database, "away", "logout_notice")
    notices.leave()
    teller.wake()

    assert receiver.next()


def test_what_nobody_expected_does_not_end_the_work(
    notices, receiver, teller, watch, turnable_clock
):
    failed = watch("failed unexpectedly")
    notices.sign_with("unheard of")
    notices.leave()
    teller.wake()
    assert failed.wait(20)

    notices.sign_with(None)
    turnable_clock.advance(seconds=60)
    teller.wake()

    assert notices.told(receiver.next()) == "s" * 32


@pytest.mark.attack("FAILURES-29")
def test_a_sign_out_that_fails_tells_nobody(browser, notices, database):
    client = notices.client
    assert client.redeem(client.sign_in_with(browser)).status_int == 200
    refuse(database, "DELETE", "session")

    answer = browser.post_json(
        "/api/auth/sign-out", {}, headers={"Origin": ORIGIN}, expect_errors=True
    )

    assert answer.status_int == 503
    assert notices.left() == []
