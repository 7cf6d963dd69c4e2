"""Taking an admission back: sessions, tokens and codes of that person end, and of nobody else."""

from datetime import timedelta

import pytest
from sqlalchemy import select, update

from authservice.crypto.server_secret import ServerSecret
from authservice.models import oauth_refresh_token, removed_account, user, verification
from authservice.services.revocation import removal
from authservice.services.sessions import sessions
from authservice.services.tokens import access_tokens, authorization_codes, refresh_tokens
from authservice.services.tokens.authorization_codes import CodeGrant
from tests.helpers.granted import give_access
from tests.unit.settings.loading import SECRET_BYTES

HOUR = timedelta(hours=1)


@pytest.fixture
def remove(transaction, turnable_clock):
    def remove(account_id="ada", at=None):
        return removal.remove(
            transaction, account_id, at or turnable_clock.moment, provider_id="github"
        )

    return remove


@pytest.fixture
def noted(transaction, monkeypatch):
    """The events of the transaction."""
    events = []
    monkeypatch.setattr(transaction, "note", events.append)
    return events


def code_for(connection, of, people):
    grant = CodeGrant(
        client_id=people.client_id,
        user_id=of.user.id,
        session_id=of.id,
        redirect_uri="https://app.example.com/cb",
        code_challenge="x",
        scopes=("openid",),
        nonce=None,
        auth_time=of.auth_time,
    )
    return authorization_codes.issue(connection, grant, HOUR)


def test_everything_that_the_person_holds_ends(connection, people, remove, noted, turnable_clock):
    held = {}
    for name, of in (("ada", people.ada), ("bob", people.bob)):
        granted = {"user_id": of.user.id, "client_id": people.client_id, "session_id": of.id}
        give_access(connection, f"token-{name}", turnable_clock.moment + HOUR, **granted)
        family = refresh_tokens.start_family(
            connection,
            ServerSecret(SECRET_BYTES),
            lifetime=HOUR,
            family_lifetime=HOUR,
            authorization_code_id=None,
            auth_time=turnable_clock.moment,
            scopes=("openid", "offline_access"),
            resources=None,
            requested_claims=None,
            **granted,
        )
        held[name] = family.id, code_for(connection, of, people)

    assert remove() is True

    assert sessions.of_user(connection, people.ada.user.id) == []
    assert len(sessions.of_user(connection, people.bob.user.id)) == 1
    assert access_tokens.find(connection, "token-ada") is None
    assert access_tokens.find(connection, "token-bob") is not None
    revoked = select(oauth_refresh_token.c.id).where(oauth_refresh_token.c.revoked.is_not(None))
    assert connection.scalars(revoked).all() == [held["ada"][0]]
    assert authorization_codes.find(connection, held["ada"][1]) is None
    assert authorization_codes.find(connection, held["bob"][1]) is not None
    assert [(event.name, event.sub) for event in noted] == [
        ("signed_out", people.ada.user.id),
        ("admission_ended", people.ada.user.id),
    ]
    assert noted[-1].sessions == 1


def test_a_spent_code_stays_to_be_recognised(connection, people, remove, turnable_clock):
    code = authorization_codes.find(connection, code_for(connection, people.ada, people))
    authorization_codes.spend(connection, code, turnable_clock.moment + HOUR)

    remove()

    assert connection.scalars(select(verification.c.id)).all() == [code.id]


def test_whoever_was_confirmed_since_stays(connection, people, remove, turnable_clock):
    later = turnable_clock.moment + timedelta(milliseconds=1)
    ada = user.c.id == people.ada.user.id
    connection.execute(update(user).where(ada).values(admitted_at=later, admitted_by="org:acme"))

    assert remove() is False
    assert len(sessions.of_user(connection, people.ada.user.id)) == 1
    # At that very moment: the confirmation did not begin after the removal.
    assert remove(at=later) is True
    assert sessions.of_user(connection, people.ada.user.id) == []


def test_an_account_without_a_user_is_written_down(connection, people, remove, turnable_clock):
    assert remove("stranger") is False
    assert remove("stranger", turnable_clock.moment - HOUR) is False

    row = connection.execute(select(removed_account)).one()
    assert row == ("stranger", row.removed_at)
    assert abs(row.removed_at - turnable_clock.moment) < timedelta(milliseconds=1)


def test_the_last_of_several_removals_counts(connection, people, remove, turnable_clock):
    removed_at = select(removed_account.c.removed_at)
    remove()
    first = connection.scalar(removed_at)
    turnable_clock.advance(hours=1)
    remove()

    assert connection.scalar(removed_at) == first + HOUR


def test_an_account_of_another_provider_is_not_meant(transaction, people, turnable_clock):
    moment = turnable_clock.moment

    assert removal.remove(transaction, "ada", moment, provider_id="other") is False
