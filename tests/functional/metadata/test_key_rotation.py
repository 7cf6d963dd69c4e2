"""Signing keys follow one another: published before they sign, and after, in every process."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import event, select, text, update
from sqlalchemy.engine import Engine

from authservice.crypto.jwt import key_id
from authservice.models import jwks
from authservice.services.keys import key_rotation
from authservice.services.keys.key_schedule import PUBLISHED_AFTER, PUBLISHED_BEFORE
from authservice.services.keys.signing_keys import READ_AGAIN_AFTER
from tests.helpers.browser import Browser
from tests.helpers.end_session import ask, is_confirmation
from tests.helpers.published_keys import JWKS, decoded
from tests.helpers.refusing_database import allow, refuse
from tests.helpers.relying_party import RelyingParty

pytestmark = pytest.mark.usefixtures("clients_of_all_algs")

ROTATION = timedelta(days=90)
SECOND = timedelta(seconds=1)
TYPES = ["RS256", "ES256", "EdDSA"]


@pytest.fixture
def serve(turnable_clock, applications, make_app):
    """Build the service, with its clock at the moment in which its keys were made."""
    made = applications.keys_under()[0]["created_at"]
    turnable_clock.moment = datetime.fromtimestamp(made / 1000, UTC)
    return lambda **settings: Service(turnable_clock, make_app(**settings))


@pytest.fixture
def served(serve):
    return serve()


class Service:
    """One process of the service."""

    def __init__(self, turned, app):
        self._clock = turned
        self.app = app
        self.browser = Browser(app)
        self.keys = app.registry.components.signing_keys
        # It looks at the keys four times a second. Elsewhere only requests do.
        app.registry.components.follower.stop()

    def rows(self):
        return self.app.registry.components.database.reader.execute(select(jwks)).all()

    def stored(self):
        return len(self.rows())

    def born(self, kid):
        return next(row.created_at for row in self.rows() if row.id == kid)

    def turn(self, duration):
        """Turn the clock, let a request notice, and let what is due be made."""
        self._clock.moment += duration
        self.published()
        self.keys.wait()

    def published(self):
        return [key["kid"] for key in self.browser.get(JWKS).json["keys"]]

    def signed(self, alg="RS256"):
        return self.keys.sign({"sub": "u"}, alg=alg, typ="JWT")

    def signer(self, alg="RS256"):
        return decoded(self.signed(alg), self.browser, alg)[0]["kid"]


def test_keys_are_published_for_longer_than_caches_keep_the_set(served):
    cache = served.browser.get(JWKS).headers["Cache-Control"]

    longest = sum(int(seconds) for seconds in re.findall(r"=(\d+)", cache))

    assert longest == 600
    assert timedelta(seconds=longest) + READ_AGAIN_AFTER < PUBLISHED_BEFORE


def test_nothing_changes_before_the_period_is_over(served):
    before = served.browser.get(JWKS).body

    served.turn(ROTATION - SECOND)

    assert served.browser.get(JWKS).body == before
    assert served.stored() == 3


@pytest.mark.parametrize("alg", TYPES)
def test_the_next_key_is_published_and_takes_over_later(served, alg):
    old = served.signer(alg)

    served.turn(ROTATION)
    during = served.published()
    served.turn(PUBLISHED_BEFORE - SECOND)

    assert len(during) == 6
    assert served.published() == during
    assert served.signer(alg) == old
    # What is known may be a minute old.
    served.turn(SECOND + READ_AGAIN_AFTER)
    assert served.signer(alg) in set(during) - {old}
    assert set(served.published()) == set(during)
    assert served.stored() == 6


def test_the_key_that_signs_leads_its_algorithm(served):
    served.turn(ROTATION)

    for _ in range(2):
        keys = served.browser.get(JWKS).json["keys"]
        assert [key["alg"] for key in keys] == [alg for alg in TYPES for _ in range(2)]
        assert keys[0]["kid"] == served.signer()
        served.turn(PUBLISHED_BEFORE + READ_AGAIN_AFTER)


def test_caches_notice_each_change_of_the_set(served):
    tags = []
    for duration in (timedelta(), ROTATION, PUBLISHED_BEFORE * 2, PUBLISHED_AFTER):
        served.turn(duration)
        known = {"If-None-Match": tags[-1]} if tags else {}
        tags.append(served.browser.get(JWKS, headers=known, status=200).headers["ETag"])
        again = served.browser.get(JWKS, headers={"If-None-Match": tags[-1]})
        assert again.status_int == 304

    assert len(set(tags)) == 4


@pytest.mark.requirement("OIDC-CORE-10.1.1-1")
def test_a_key_stays_published_until_all_that_it_signed_has_expired(serve, turnable_clock):
    longest = str(24 * 3600)
    served = serve(lifetimes__id_token=longest, lifetimes__access_token=longest)
    old = served.signer()
    served.turn(ROTATION)
    # A process that last looked a moment before goes on with the old key for a minute.
    served.turn(PUBLISHED_BEFORE - SECOND)
    turnable_clock.moment += READ_AGAIN_AFTER - SECOND
    assert served.signer() == old

    served.turn(timedelta(seconds=int(longest)))
    assert old in served.published()
    served.turn(timedelta(hours=1))
    assert old not in served.published()


def test_a_retired_key_verifies_hints_for_ninety_days(serve, database):
    period = timedelta(days=200)
    served = serve(lifetimes__signing_key=str(int(period.total_seconds())))
    client = RelyingParty.registered(served.app, database, enable_end_session=True)
    hint = client.redeem(client.sign_in_with(served.browser)).json["id_token"]
    served.turn(period)
    served.turn(PUBLISHED_BEFORE + READ_AGAIN_AFTER)
    # The sessions of before have expired meanwhile: a good hint needs no question.
    served.turn(timedelta(days=89))

    assert key_id(hint) not in served.published()
    assert ask(served.browser, hint).status_int == 303
    served.turn(timedelta(days=1))
    is_confirmation(ask(served.browser, hint))


def test_keys_that_verify_nothing_any_more_are_deleted(served):
    first = set(served.published())
    for _ in range(3):
        served.turn(ROTATION)
        served.turn(PUBLISHED_BEFORE * 2)

    assert served.stored() <= 9
    assert not {row.id for row in served.rows()} & first


def test_a_second_process_follows_within_a_minute(served, serve):
    other = serve().browser

    served.turn(ROTATION)

    assert len(served.published()) == 6
    served.turn(READ_AGAIN_AFTER)
    assert other.get(JWKS).body == served.browser.get(JWKS).body
    assert served.stored() == 6


def test_a_token_of_a_key_that_is_not_known_yet_is_accepted(served, serve, turnable_clock):
    other = serve().app.registry.components
    with other.database.transaction() as connection:
        key_rotation.rotate(connection, key_rotation.new_keys(), other.secret, immediately=True)
    turnable_clock.advance(minutes=1)
    token = other.signing_keys.sign({"sub": "u"}, alg="ES256", typ="JWT")
    turnable_clock.advance(minutes=-1, seconds=5)

    assert served.keys.verify(token, typ="JWT") == {"sub": "u"}


@pytest.fixture
def readings():
    """Give the times that the stored keys were read."""
    seen = []

    def note(_connection, _cursor, statement, *_):
        if "FROM jwks" in statement:
            seen.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    yield seen
    event.remove(Engine, "before_cursor_execute", note)


def test_requests_do_not_read_the_keys_again_within_a_minute(served, readings, turnable_clock):
    served.published()
    readings.clear()

    for _ in range(59):
        turnable_clock.advance(seconds=1)
        served.published()
        served.keys.verify(served.signed("EdDSA"), typ="JWT")

    assert readings == []
    turnable_clock.advance(seconds=1)
    served.published()
    assert len(readings) == 1


def test_invented_keys_make_nobody_read_more_than_once_in_five_seconds(
    served, readings, turnable_clock
):
    forged = served.signed("EdDSA").split(".")
    head = "eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCIsImtpZCI6ImludmVudGVkIn0"
    served.published()
    turnable_clock.advance(seconds=5)
    readings.clear()

    for _ in range(100):
        assert served.keys.verify(".".join([head, *forged[1:]]), typ="JWT") is None

    assert len(readings) == 1


def test_a_service_that_stood_still_for_two_periods_publishes_first(served, serve, turnable_clock):
    old = served.signer()

    turnable_clock.moment += ROTATION * 2 + timedelta(days=1)
    again = serve().browser

    assert len(again.get(JWKS).json["keys"]) == 6
    assert served.signer() == old
    served.turn(PUBLISHED_BEFORE + READ_AGAIN_AFTER)
    assert served.signer() != old


def test_a_key_that_waited_out_a_standstill_signs_while_the_next_is_published(
    served, serve, turnable_clock
):
    served.turn(ROTATION)
    waiting = set(served.published())
    turnable_clock.moment += ROTATION * 2
    again = serve()

    assert again.signer() in waiting
    assert len(set(again.published()) - waiting) == 3


@pytest.mark.parametrize("back", [timedelta(hours=5), timedelta(days=30), timedelta(days=400)])
def test_a_clock_that_is_set_back_breaks_nothing(served, back):
    served.turn(ROTATION)
    served.turn(PUBLISHED_BEFORE + READ_AGAIN_AFTER)

    served.turn(-back)

    for alg in TYPES:
        assert served.signer(alg) in served.published()
    served.turn(back)
    assert served.signer() in served.published()


def test_a_process_whose_clock_is_set_back_still_follows(served, serve, turnable_clock):
    other = serve().app.registry.components
    turnable_clock.advance(days=-1)
    with other.database.transaction() as connection:
        key_rotation.rotate(connection, key_rotation.new_keys(), other.secret, immediately=True)

    assert len(served.published()) == 6


def test_a_clock_that_was_a_year_ahead_is_made_good(served, turnable_clock):
    served.turn(timedelta(days=365))
    served.turn(-timedelta(days=365))
    served.turn(READ_AGAIN_AFTER)

    served.turn(PUBLISHED_BEFORE + READ_AGAIN_AFTER)

    assert served.signer() in served.published()
    assert served.born(served.signer()) <= turnable_clock.moment


def test_a_token_request_does_not_wait_for_the_key_that_it_finds_due(
    serve, database, turnable_clock
):
    served = serve(lifetimes__code="600")
    client = RelyingParty.registered(served.app, database)
    code = client.sign_in_with(served.browser)
    with database.transaction() as connection:
        connection.execute(update(jwks).values(created_at=turnable_clock.moment - ROTATION))

    # The token endpoint is the first to look, and holds the write lock meanwhile.
    turnable_clock.advance(minutes=1)
    tokens = client.redeem(code)

    assert tokens.status_int == 200
    served.keys.wait()
    assert served.stored() == 6


def test_keys_that_cannot_be_read_again_serve_on(served, database, caplog, turnable_clock):
    before = served.browser.get(JWKS).body
    with database.transaction() as connection:
        connection.execute(text("ALTER TABLE jwks RENAME TO away"))

    turnable_clock.moment += READ_AGAIN_AFTER

    assert served.browser.get(JWKS).body == before
    assert served.signed()
    assert caplog.text.count("could not be read again") == 1
    with database.transaction() as connection:
        connection.execute(text("ALTER TABLE away RENAME TO jwks"))
    served.turn(ROTATION)
    assert len(served.published()) == 6


def test_keys_that_cannot_be_stored_are_tried_again(served, database, caplog):
    refuse(database, "INSERT", "jwks")
    served.turn(ROTATION)

    assert "could not be stored" in caplog.text
    assert len(served.published()) == 3
    allow(database, "jwks")
    served.turn(READ_AGAIN_AFTER)
    assert len(served.published()) == 6
