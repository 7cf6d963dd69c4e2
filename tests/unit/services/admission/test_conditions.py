"""Sessions, codes and tokens are made in statements that require the person's admission."""

from datetime import timedelta

import pytest
from sqlalchemy import select, update

from authservice.crypto.server_secret import ServerSecret
from authservice.models import user
from authservice.services.admission.confirmation import ALWAYS
from authservice.services.sessions import session_and_consent, sessions
from authservice.services.sessions.sessions import NotAdmittedError
from authservice.services.tokens import authorization_codes, refresh_tokens
from authservice.services.tokens.authorization_codes import CodeGrant

HOUR = timedelta(hours=1)
SECRET = ServerSecret(b"s" * 32)


@pytest.fixture
def admit(connection, people):
    """Store when Ada was confirmed, and by which rule."""

    def admit(at, by="org:acme"):
        ada = user.c.id == people.ada.user.id
        connection.execute(update(user).where(ada).values(admitted_at=at, admitted_by=by))

    return admit


@pytest.fixture
def refused(admit, turnable_clock):
    """Admissions of Ada that do not reach to the requested moment, and that moment."""
    moment = turnable_clock.moment
    return [
        lambda: admit(None),
        lambda: admit(None, "id:1"),
        lambda: admit(moment - timedelta(milliseconds=1)),
        lambda: admit(moment - timedelta(milliseconds=1), "team:acme/x"),
    ], moment


@pytest.fixture
def accepted(admit, turnable_clock):
    """Admissions of Ada that do."""
    moment = turnable_clock.moment
    return [
        lambda: admit(moment),
        lambda: admit(moment - timedelta(days=100), "id:1"),
        lambda: admit(moment - timedelta(days=100), "domain:example.com"),
        lambda: admit(moment + HOUR, "team:acme/x"),
    ], moment


@pytest.fixture
def tells(refused, accepted):
    """Require that a function returns something just where Ada is admitted."""

    def tells(make):
        for (admissions, moment), expected in ((refused, False), (accepted, True)):
            for admit in admissions:
                admit()
                assert bool(make(moment)) is expected
        refused[0][0]()
        assert make(ALWAYS)

    return tells


def test_a_session_is_made(connection, people, tells):
    def make(after):
        try:
            made, _ = sessions.create(connection, people.ada.user, HOUR, confirmed_after=after)
        except NotAdmittedError:
            return None
        assert sessions.find_by_id(connection, made.id).expires_at == made.expires_at
        return made

    tells(make)


def test_a_session_of_someone_who_was_deleted_is_not_made(connection, people):
    connection.execute(user.delete())

    with pytest.raises(NotAdmittedError):
        sessions.create(connection, people.ada.user, HOUR)


def test_a_session_is_renewed(connection, people, tells):
    state = {}
    state["at"], state["token"] = sessions.create(connection, people.ada.user, HOUR)

    def make(after):
        renewed = sessions.renew(
            connection,
            state["at"],
            state["token"],
            HOUR,
            ip_address=None,
            user_agent=None,
            confirmed_after=after,
        )
        if renewed:
            state["at"], state["token"] = renewed
        return renewed

    tells(make)


def test_a_code_is_issued(connection, people, tells):
    grant = CodeGrant(
        client_id=people.client_id,
        user_id=people.ada.user.id,
        session_id=people.ada.id,
        redirect_uri="https://app.example.com/cb",
        code_challenge="x",
        scopes=("openid",),
        nonce=None,
        auth_time=people.ada.auth_time,
    )

    tells(lambda after: authorization_codes.issue(connection, grant, HOUR, confirmed_after=after))


def test_a_code_is_redeemed(connection, people, tells):
    def is_admitted(after):
        found = session_and_consent.find(
            connection, people.ada.id, people.client_id, confirmed_after=after
        )
        assert found.session_is_active
        return found.is_admitted

    tells(is_admitted)


@pytest.fixture
def token(connection, people, turnable_clock):
    return refresh_tokens.start_family(
        connection,
        SECRET,
        lifetime=HOUR,
        family_lifetime=HOUR,
        client_id=people.client_id,
        session_id=people.ada.id,
        user_id=people.ada.user.id,
        authorization_code_id=None,
        auth_time=turnable_clock.moment,
        scopes=("openid", "offline_access"),
        resources=None,
        requested_claims=None,
    ).token


def rotated(transaction, presented, after):
    """Return what a token is exchanged for, or None."""
    found = refresh_tokens.find(transaction.connection, SECRET, presented)
    issued = refresh_tokens.rotate(
        transaction,
        SECRET,
        presented,
        found,
        lifetime=HOUR,
        grace=timedelta(seconds=10),
        confirmed_after=after,
    )
    return issued and issued.token


def test_a_token_is_refreshed(transaction, token, tells):
    tokens = [token]

    def make(after):
        successor = rotated(transaction, tokens[-1], after)
        tokens.extend([successor] if successor else [])
        return successor

    tells(make)


def test_a_retry_is_answered_again(transaction, token, admit, turnable_clock, tells):
    admit(turnable_clock.moment)
    successor = rotated(transaction, token, ALWAYS)

    tells(lambda after: rotated(transaction, token, after) == successor)


def test_a_refusal_leaves_the_family_as_it_is(transaction, connection, token, refused):
    admissions, moment = refused
    admissions[0]()

    assert rotated(transaction, token, moment) is None
    found = refresh_tokens.find(connection, SECRET, token)
    assert found.is_current
    assert found.family.revoked is None
    assert (
        connection.scalar(select(user.c.admitted_at).where(user.c.id == found.family.user_id))
        is None
    )
