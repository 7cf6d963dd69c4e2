"""How logout tokens are delivered: again after a failure, once at a time, never in the way."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import delete, select

from authservice.database.database import Database
from authservice.models import logout_notice
from authservice.oauth.logout.backchannel import AT_ONCE, BackchannelLogout, LogoutTurns
from authservice.services.sessions import logout_notices
from tests.helpers.browser import ORIGIN, Browser
from tests.helpers.lock_waits import wait_until_blocked
from tests.helpers.logout_receiver import ByHand, LogoutReceiver
from tests.helpers.published_keys import decoded
from tests.helpers.relying_party import RelyingParty
from tests.helpers.waiting import until

# After a first attempt: the pauses before the next ones, in seconds.
PAUSES = (5, 30, 120, 600, 1800, 7200, 21600)
LEASE = timedelta(seconds=60)


@pytest.fixture
def make_one_due(turnable_clock, by_hand, browser, told_client, receiver, database):
    """Let a user sign out, and nothing else be due; gives the part that tells, worked by hand."""

    def make():
        with database.transaction() as connection:
            connection.execute(delete(logout_notice))
        while receiver.has_more():
            receiver.next()
        assert told_client.redeem(told_client.sign_in_with(browser)).status_int == 200
        sign_out(browser)
        return by_hand

    return make


@pytest.fixture
def one_due(make_one_due):
    return make_one_due()


def sign_out(browser):
    answer = browser.post_json("/api/auth/sign-out", {}, headers={"Origin": ORIGIN})
    assert answer.json == {"success": True}


def notice(database):
    return database.reader.execute(select(logout_notice)).one_or_none()


@pytest.mark.requirement("OIDC-BCLOGOUT-2.8-1")
def test_a_client_that_took_note_is_told_once(subtests, make_one_due, receiver, database):
    for status in (200, 204):
        with subtests.test(status=status):
            one_due = make_one_due()
            receiver.status = status

            assert [one_due.attempt_one(), one_due.attempt_one()] == [True, False]
            receiver.next()
            assert not receiver.has_more()
            assert notice(database) is None


@pytest.mark.attack("BROWSER-ssrf")
@pytest.mark.requirement("OIDC-BCLOGOUT-2.8-1")
def test_any_other_answer_is_a_failure_and_no_redirect_is_followed(
    subtests, make_one_due, receiver, database
):
    receiver.headers = {"Location": receiver.uri}
    for status in (201, 202, 301, 302, 303, 307, 308, 400, 404, 500, 503):
        with subtests.test(status=status):
            one_due = make_one_due()
            receiver.status = status

            one_due.attempt_one()

            receiver.next()
            assert not receiver.has_more()
            assert notice(database).attempts == 1


def test_it_is_tried_again_after_growing_pauses_and_then_given_up(
    one_due, receiver, database, turnable_clock, caplog
):
    receiver.status = 500
    tokens = []
    for pause in (*PAUSES, None):
        assert one_due.attempt_one() is True
        tokens.append(receiver.next().token)
        if pause is not None:
            turnable_clock.advance(seconds=pause, milliseconds=-1)
            assert one_due.attempt_one() is False
            turnable_clock.advance(milliseconds=1)

    turnable_clock.advance(days=30)
    assert one_due.attempt_one() is False
    assert notice(database) is None
    assert len(set(tokens)) == len(PAUSES) + 1
    gave_up = [record.getMessage() for record in caplog.records if "gave up" in record.getMessage()]
    assert len(gave_up) == 1


@pytest.mark.requirement("OIDC-BCLOGOUT-2.4-9", "OIDC-BCLOGOUT-2.4-10")
def test_each_attempt_has_a_token_of_its_own_that_is_fresh(
    one_due, receiver, told_client, turnable_clock
):
    receiver.status = 503
    one_due.attempt_one()
    turnable_clock.advance(seconds=5)
    receiver.status = 200
    one_due.attempt_one()

    first, second = (decoded(receiver.next().token, told_client.http)[1] for _ in range(2))
    assert second["iat"] == first["iat"] + 5
    assert second["exp"] == second["iat"] + 120
    assert second["jti"] != first["jti"]
    assert second["sid"] == first["sid"]


@pytest.mark.attack("RFC6819-4.6.7")
def test_a_failure_is_logged_without_the_token(one_due, receiver, told_client, caplog):
    receiver.status = 418

    one_due.attempt_one()

    token = receiver.next().token
    assert f"client {told_client.client_id} could not be told" in caplog.text
    assert "418" in caplog.text
    assert token not in caplog.text


def test_nobody_listening_is_a_failure_like_any_other(one_due, receiver, database):
    receiver.close()

    assert one_due.attempt_one() is True
    assert notice(database).attempts == 1


@pytest.mark.requirement("OIDC-BCLOGOUT-2.5-3")
def test_one_client_s_failure_does_not_hold_up_the_next(one_due, browser, receiver, told_client):
    receiver.status = 500
    one_due.attempt_one()
    receiver.next()
    receiver.status = 200
    told_client.redeem(told_client.sign_in_with(browser))
    sign_out(browser)

    assert one_due.attempt_one() is True
    assert receiver.next()


@pytest.mark.requirement("OIDC-BCLOGOUT-2.5-3")
def test_the_person_does_not_wait_for_a_client_that_never_answers(
    browser, told_client, receiver, database, turnable_clock
):
    receiver.hold()
    assert told_client.redeem(told_client.sign_in_with(browser)).status_int == 200

    sign_out(browser)

    # The answer is here, and the one attempt is still under way: its lease has not been replaced.
    receiver.next()
    assert (
        notice(database).due_at
        == turnable_clock.moment.replace(
            microsecond=turnable_clock.moment.microsecond // 1000 * 1000
        )
        + logout_notices._LEASE
    )
    assert browser.session() is None


def test_two_processes_make_one_attempt_at_a_time(make_app, one_due, receiver, turnable_clock):
    other = ByHand(make_app().registry.components.backchannel_logout)
    receiver.hold()
    first = threading.Thread(target=one_due.attempt_one)
    first.start()
    receiver.next()

    assert other.attempt_one() is False

    receiver.release()
    first.join()
    turnable_clock.advance(days=1)
    assert other.attempt_one() is False
    assert not receiver.has_more()


@pytest.fixture
def wait_for_second(app, database):
    """Wait until a second transaction waits for the first, or is done."""
    if not database.is_sqlite:
        return lambda second: wait_until_blocked(database, second)
    reached = threading.Event()
    with app.registry.components.database.transaction() as other:
        other.connection.dbapi_connection.set_trace_callback(lambda _: reached.set())
    # This transaction's own end is none of it.
    reached.clear()
    return lambda _second: reached.wait(20)


def test_of_two_that_see_a_notice_one_takes_it(one_due, receiver, database, wait_for_second):
    with ThreadPoolExecutor(1) as pool:
        with database.transaction() as connection:
            taken = logout_notices.take(connection, notice(database).id)
            second = pool.submit(one_due.attempt_one)
            # It has seen the notice as still due.
            wait_for_second(second)
        assert second.result() is True

    assert taken is not None
    assert not receiver.has_more()
    assert notice(database).attempts == 1


@pytest.fixture
def other_receiver():
    made = LogoutReceiver()
    yield made
    made.close()


@pytest.fixture
def other_client(app, database, other_receiver):
    return RelyingParty.registered(app, database, backchannel_logout_uri=other_receiver.uri)


@pytest.mark.attack("TOKENS-silent-client")
@pytest.mark.requirement("OIDC-BCLOGOUT-2.5-3")
def test_a_silent_client_keeps_no_other_waiting(
    app, told_client, receiver, other_client, other_receiver
):
    receiver.hold()
    silent = [Browser(app) for _ in range(3)]
    for each in silent:
        told_client.redeem(told_client.sign_in_with(each))
    last = Browser(app)
    other_client.redeem(other_client.sign_in_with(last))

    for each in (*silent, last):
        sign_out(each)
    receiver.next()

    # While the attempt at the first is still under way.
    assert other_receiver.next()
    assert not receiver.has_more()


@pytest.mark.attack("TOKENS-silent-client")
def test_clients_are_told_in_turn_however_many_notices_one_has(
    app, by_hand, told_client, receiver, other_client, other_receiver, turnable_clock
):
    browsers = [Browser(app) for _ in range(3)]
    for each in browsers:
        told_client.redeem(told_client.sign_in_with(each))
    last = Browser(app)
    other_client.redeem(other_client.sign_in_with(last))
    for each in (*browsers, last):
        sign_out(each)
        turnable_clock.advance(milliseconds=1)

    assert by_hand.attempt_one()
    assert by_hand.attempt_one()

    for each in (receiver, other_receiver):
        each.next()
    assert not receiver.has_more()
    assert [by_hand.attempt_one() for _ in range(3)] == [True, True, False]


@pytest.mark.attack("TOKENS-silent-client")
def test_clients_that_failed_leave_places_to_those_that_did_not():
    turns = LogoutTurns()
    failed = [f"failed {number}" for number in range(AT_ONCE)]
    for each in failed:
        turns.begin(each)
        turns.end(each, told=False)
    for each in failed[: AT_ONCE // 2 - 1]:
        turns.begin(each)
    assert failed[-1] not in turns.passed_over
    turns.begin(failed[AT_ONCE // 2 - 1])

    assert {*failed} <= {*turns.passed_over}
    assert turns.any_left
    for number in range(AT_ONCE // 2):
        assert f"well {number}" not in turns.passed_over
        turns.begin(f"well {number}")
    assert not turns.any_left
    turns.end(failed[0], told=True)
    assert turns.any_left
    assert failed[0] not in turns.passed_over


@pytest.mark.engines("sqlite")
def test_it_holds_no_connection_while_nobody_is_to_be_told(app, database):
    parts = app.registry.components
    opened = Database(str(database.url))
    logout = BackchannelLogout(parts.settings, opened, parts.signing_keys)
    logout.start()

    until(lambda: opened._handed_back)
    logout.stop()
    opened.dispose()
