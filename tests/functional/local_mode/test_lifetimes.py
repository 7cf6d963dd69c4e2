"""The clock of local mode, moved over every lifetime of the settings: until then, and not after."""

import dataclasses
from datetime import timedelta

import pytest

from authservice import clock
from authservice.settings.auth_settings import Lifetimes
from tests.helpers.browser import Browser
from tests.helpers.published_keys import JWKS, decoded
from tests.helpers.relying_party import RelyingParty

TWO_HOURS = 2 * 3600


class World:
    """A service whose clock stands, a person who is signed in, and a client."""

    def __init__(self, app, database, control):
        # The keys are of today.
        control.post("clock", {"freeze": clock.machine().isoformat()})
        self._control = control
        self.lifetimes = app.registry.components.settings.lifetimes
        self.browser = Browser(app)
        self.browser.sign_in()
        self.party = RelyingParty.registered(app, database)

    def advance(self, duration=timedelta(), seconds=0):
        """Move the clock on by a duration and so many seconds more, or fewer."""
        self._control.post("clock", {"advance": duration.total_seconds() + seconds})

    def code(self):
        return self.party.sign_in_with(self.browser)

    def tokens(self):
        answer = self.party.redeem(self.code())
        assert answer.status_int == 200, answer
        return answer.json

    def session(self):
        return self.browser.get("/api/auth/get-session?disableRefresh=true").json

    def published(self):
        return [key["kid"] for key in self.browser.get(JWKS).json["keys"] if key["alg"] == "RS256"]


def session(world):
    world.advance(world.lifetimes.session, -1)
    assert world.session() is not None
    world.advance(seconds=1)
    assert world.session() is None


def session_update(world):
    before = world.session()["session"]["expiresAt"]
    world.advance(world.lifetimes.session_update)
    assert world.browser.session()["session"]["expiresAt"] == before
    world.advance(seconds=1)
    assert world.browser.session()["session"]["expiresAt"] > before


def session_max(world):
    began, step = 0, world.lifetimes.session.total_seconds() - 1
    longest = world.lifetimes.session_max.total_seconds()
    while began + step < longest:
        assert world.browser.session() is not None
        world.advance(world.lifetimes.session, -1)
        began += step
    assert world.browser.session() is not None
    world.advance(world.lifetimes.session_max, -began)
    assert world.browser.session() is None


def code(world):
    first, second = world.code(), world.code()
    world.advance(world.lifetimes.code, -1)
    assert world.party.redeem(first).status_int == 200
    world.advance(seconds=1)
    assert world.party.redeem(second).json["error"] == "invalid_grant"


def access_token(world):
    token = world.tokens()["access_token"]
    world.advance(world.lifetimes.access_token, -1)
    assert world.party.userinfo(token).status_int == 200
    world.advance(seconds=1)
    assert world.party.userinfo(token).status_int == 401


def id_token(world):
    now = int(clock.now().timestamp())
    _, claims = decoded(world.tokens()["id_token"], world.party.http)
    assert claims["iat"] == now
    assert claims["exp"] == now + world.lifetimes.id_token.total_seconds()
    world.advance(world.lifetimes.id_token)
    _, later = decoded(world.tokens()["id_token"], world.party.http)
    assert later["iat"] == claims["exp"]


def refresh_token(world):
    kept, left = world.tokens()["refresh_token"], world.tokens()["refresh_token"]
    world.advance(world.lifetimes.refresh_token, -1)
    assert world.party.refresh(kept).status_int == 200
    world.advance(seconds=1)
    assert world.party.refresh(left).json["error"] == "invalid_grant"


def refresh_family(world):
    token = world.tokens()["refresh_token"]
    passed, step = 0, world.lifetimes.refresh_token.total_seconds() - 1
    longest = world.lifetimes.refresh_family.total_seconds()
    while passed + step < longest:
        world.advance(world.lifetimes.refresh_token, -1)
        passed += step
        token = world.party.refresh(token).json["refresh_token"]
    world.advance(world.lifetimes.refresh_family, -passed)
    assert world.party.refresh(token).json["error"] == "invalid_grant"


def refresh_grace(world):
    token = world.tokens()["refresh_token"]
    first = world.party.refresh(token).json["refresh_token"]
    world.advance(world.lifetimes.refresh_grace)
    assert world.party.refresh(token).json["refresh_token"] == first
    world.advance(seconds=1)
    assert world.party.refresh(token).json["error"] == "invalid_grant"


def signing_key(world):
    signer = decoded(world.tokens()["id_token"], world.party.http)[0]["kid"]
    published = world.published()
    world.advance(world.lifetimes.signing_key)
    assert signer in world.published()
    (following,) = set(world.published()) - set(published)
    world.browser.sign_in()
    assert decoded(world.tokens()["id_token"], world.party.http)[0]["kid"] == signer
    # So long it is published before it signs.
    world.advance(seconds=TWO_HOURS)
    assert decoded(world.tokens()["id_token"], world.party.http)[0]["kid"] == following


LIFETIMES = {
    each.__name__: each
    for each in (
        session,
        session_update,
        session_max,
        code,
        access_token,
        id_token,
        refresh_token,
        refresh_family,
        refresh_grace,
        signing_key,
    )
}


@pytest.fixture
def world(app, database, control):
    return World(app, database, control)


def test_every_lifetime_of_the_settings_is_among_these():
    assert set(LIFETIMES) == {field.name for field in dataclasses.fields(Lifetimes)}


@pytest.mark.parametrize("name", LIFETIMES)
def test_what_has_a_lifetime_ends_with_it(world, name):
    LIFETIMES[name](world)


def test_a_form_to_sign_in_holds_for_a_day(world, app, control):
    late = Browser(app)
    form = late.get("/sign-in").forms[0]
    control.post("clock", {"advance": 24 * 3600})

    answer = form.submit("choice", value="sign-in", expect_errors=True)
    assert (answer.status_int, "sign_in_expired" in answer.text) == (400, True)
    assert late.session() is None


def test_a_session_jwt_holds_for_fifteen_minutes(world):
    _, claims = decoded(world.browser.get("/api/auth/token").json["token"], world.party.http)

    assert claims["exp"] - claims["iat"] == 15 * 60
    assert claims["iat"] == int(clock.now().timestamp())
