"""A family that is refreshed again and again: one row for all of its tokens, each of them known.

``--all`` refreshes it a hundred thousand times on SQLite.
"""

from datetime import timedelta

import pytest
from sqlalchemy import func, select

from authservice.models import oauth_access_token, oauth_refresh_token
from tests.stateful.service import REDIRECT_URI, VERIFIER, Service

ROTATIONS = 1_000
ROTATIONS_OF_ALL = {"sqlite": 100_000, "postgresql": 20_000}
# Longer than a refresh may be repeated.
PAUSE = timedelta(seconds=11)
ACCESS_TOKEN = timedelta(hours=1)


@pytest.fixture
def service(make_app, turnable_clock):
    app = make_app(auth__sqlite_synchronous="NORMAL")
    app.registry.components.upkeep.stop()
    return Service(app.registry.components)


@pytest.fixture
def client(service):
    """Return the id and the secret of a client."""
    return service.register(skip_consent=True)


def first_token(service, client):
    scopes = {"profile", "offline_access"}
    session = service.sign_in(service.person("ada"))
    code, _ = service.authorize(client[0], session.id, scopes, for_resource=False, agreed=True)
    redeeming = {"grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT_URI}
    return service.token(*client, **redeeming, code_verifier=VERIFIER)[1]["refresh_token"]


def refresh(service, client, token):
    return service.token(*client, grant_type="refresh_token", refresh_token=token)


def count(service, table):
    return service.database.reader.scalar(select(func.count()).select_from(table))


@pytest.mark.attack("TOKENS-replay-refresh")
def test_it_is_one_row_that_knows_every_token_it_gave_out(
    service, client, engine, turnable_clock, amount
):
    rotations = amount(ROTATIONS, ROTATIONS_OF_ALL[engine.name])
    issued = [first_token(service, client)]
    for _ in range(rotations):
        turnable_clock.advance(seconds=PAUSE.total_seconds())
        status, answer = refresh(service, client, issued[-1])
        assert status == 200, answer
        issued.append(answer["refresh_token"])

    assert len({*issued}) == rotations + 1
    assert count(service, oauth_refresh_token) == 1
    assert count(service, oauth_access_token) <= ACCESS_TOKEN / PAUSE + 1
    recent = service.database.reader.scalar(select(oauth_refresh_token.c.recent))
    assert issued[-1] not in recent
    # Those of the last exchange alone.
    assert len(recent) < 3 * len(issued[-1]) + 100

    assert refresh(service, client, issued[rotations // 2])[0] == 400
    assert refresh(service, client, issued[-1])[0] == 400
    assert count(service, oauth_access_token) == 0
