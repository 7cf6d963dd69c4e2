"""Tokens of a person whose admission is due: none are given until the provider is queried again."""

from datetime import timedelta

import pytest
from sqlalchemy import select, update

from authservice.models import oauth_refresh_token, user
from authservice.services.admission import state
from tests.helpers.relying_party import RelyingParty
from tests.helpers.token_states import introspect

DAY = timedelta(days=1)
DUE = "The user's admission has to be confirmed: sign in again."


@pytest.fixture
def admit(database, turnable_clock):
    """Store that the person was admitted a while ago."""

    def admit(ago=timedelta(0), by="org:acme"):
        with database.transaction() as connection:
            at = turnable_clock.moment - ago
            connection.execute(update(user).values(admitted_at=at, admitted_by=by))

    return admit


@pytest.fixture
def held(make_app, database, browser, relying_party, admit):
    """A client under rules by organization, with the code and the refresh token of a person."""
    refresh_token = relying_party.redeem(relying_party.sign_in_with(browser)).json["refresh_token"]
    code = relying_party.sign_in_with(browser)
    app = make_app(admission__organizations="acme", lifetimes__code="600")
    client = RelyingParty(
        app, relying_party.client_id, relying_party.client_secret, relying_party.redirect_uri
    )
    client.verifier = relying_party.verifier
    return client, code, refresh_token


def refused(answer):
    return (answer.status_int, answer.json.get("error"), answer.json.get("error_description")) == (
        400,
        "invalid_grant",
        DUE,
    )


def test_nobody_is_admitted_after_the_first_start_with_rules(held):
    client, code, refresh_token = held

    assert refused(client.refresh(refresh_token))
    assert refused(client.redeem(code))


def test_what_an_organization_decided_gives_tokens_for_a_day(held, admit):
    client, code, refresh_token = held

    admit(DAY)
    assert client.refresh(refresh_token).status_int == 200
    assert client.redeem(code).status_int == 200


def test_after_that_it_gives_none(held, admit, database):
    client, code, refresh_token = held
    admit(DAY + timedelta(seconds=1))

    assert refused(client.refresh(refresh_token))
    assert introspect(client, refresh_token).json == {"active": False}
    assert refused(client.redeem(code))
    # The family waits for the person, whose confirmation comes back.
    revoked = select(oauth_refresh_token.c.revoked)
    assert set(database.reader.scalars(revoked)) == {None}
    admit()
    assert client.refresh(refresh_token).status_int == 200


def test_what_an_account_decided_gives_tokens_for_good(held, admit):
    client, code, refresh_token = held
    admit(1000 * DAY, "id:1")

    assert client.refresh(refresh_token).status_int == 200
    assert client.redeem(code).status_int == 200


def test_an_outage_of_the_provider_gives_another_day(held, admit, database):
    client, code, refresh_token = held
    with database.transaction() as connection:
        state.note_outage(connection)

    admit(2 * DAY + timedelta(seconds=1))
    assert refused(client.refresh(refresh_token))
    assert refused(client.redeem(code))

    admit(2 * DAY)
    assert client.refresh(refresh_token).status_int == 200
    # A code is for one attempt.
    assert client.redeem(code).json["error_description"] != DUE
