"""An authorization request that waits: bound to its browser, and for ten minutes."""

from datetime import timedelta

import pytest

from authservice import clock
from authservice.crypto.server_secret import ServerSecret
from authservice.oauth.authorize.interaction import Visit
from authservice.oauth.authorize.pending import InteractionError, PendingRequest

QUERY = "client_id=app&state=1"


@pytest.fixture
def secret():
    return ServerSecret(bytes(range(32)))


@pytest.fixture
def waiting(turnable_clock):
    # Seconds only, as it travels.
    turnable_clock.moment = turnable_clock.moment.replace(microsecond=0)
    return PendingRequest(QUERY, Visit(clock.now()))


def test_it_comes_back_as_it_was(secret, waiting):
    decided = waiting.continued_with("session").narrowed_by(("email", "profile"))

    assert decided.query == QUERY
    assert decided.visit == Visit(waiting.visit.started_at, "session", ("email", "profile"))
    assert PendingRequest.unseal(secret, "browser", waiting.seal(secret, "browser")) == waiting
    assert PendingRequest.unseal(secret, "browser", decided.seal(secret, "browser")) == decided


def test_it_holds_for_ten_minutes_and_can_be_begun_anew_after_that(secret, waiting, turnable_clock):
    sealed = waiting.seal(secret, "browser")
    turnable_clock.moment += timedelta(minutes=10, seconds=-1)
    assert PendingRequest.unseal(secret, "browser", sealed) == waiting
    turnable_clock.advance(seconds=1)

    with pytest.raises(InteractionError) as refused:
        PendingRequest.unseal(secret, "browser", sealed)

    assert refused.value.query == QUERY
