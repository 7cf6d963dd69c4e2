"""Administration of people: who they are, what is stored of a person, and deleting it.

Only commands call this; no route does.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, Table, delete, func, select, update

from authservice import clock
from authservice.database.database import lock_tables
from authservice.database.transaction import Transaction
from authservice.events import EmailReleased, UserDeleted
from authservice.models import (
    account,
    logout_notice,
    oauth_access_token,
    oauth_consent,
    oauth_refresh_token,
    removed_account,
    session,
    session_participant,
    user,
    verification,
)
from authservice.services.people import email_addresses, person_lock
from authservice.services.sessions import sessions
from authservice.services.tokens import authorization_codes, grants
from authservice.settings.admission.rules import folded

UserRow = Mapping[str, Any]

# Digests, what begins a token, and what no more than a token opens: they say nothing of a person.
_SECRETS = {"token", "access_token", "refresh_token", "id_token", "password"}
_OF_FAMILIES = {oauth_refresh_token.name: {"id", "key", "recent"}}

_GRANT, _ACCESS_TOKEN = oauth_refresh_token.c, oauth_access_token.c
_ACCESS_TOKENS = (
    select(
        _GRANT.client_id,
        _GRANT.session_id,
        _GRANT.user_id,
        _GRANT.authorization_code_id,
        _ACCESS_TOKEN.expires_at,
        _ACCESS_TOKEN.created_at,
        _ACCESS_TOKEN.scopes,
        func.coalesce(_ACCESS_TOKEN.resources, _GRANT.resources).label("resources"),
        func.coalesce(_ACCESS_TOKEN.requested_claims, _GRANT.requested_claims).label(
            "requested_claims"
        ),
    )
    .join(oauth_refresh_token, _GRANT.id == _ACCESS_TOKEN.refresh_id)
    .order_by(_ACCESS_TOKEN.created_at, _ACCESS_TOKEN.id)
)


def all_users(connection: Connection) -> Iterator[UserRow]:
    """Give every user's row, oldest first."""
    statement = select(user).order_by(user.c.created_at, user.c.id)
    for row in connection.execute(statement).mappings():
        yield dict(row)


def find(connection: Connection, named: str) -> UserRow | None:
    """Return the row of the user with this id or e-mail address."""
    for which in (user.c.id == named, user.c.email == folded(named)):
        row = connection.execute(select(user).where(which)).mappings().first()
        if row is not None:
            return dict(row)
    return None


def everything_about(connection: Connection, user_id: str) -> dict[str, list[dict[str, Any]]]:
    """Return the rows that refer to a user, by kind, without digests and sealed values."""
    kinds = _hanging(user_id) | {"removed_accounts": _removals(user_id)}
    return {
        kind: [dict(row) for row in connection.execute(statement).mappings()]
        for kind, statement in kinds.items()
    }


def remove(transaction: Transaction, row: UserRow) -> dict[str, int]:
    """Delete a user with all that hangs on them, and return how many rows of each kind there were.

    Clients with a back-channel address are notified. A notice names the user until its client has
    accepted it or it is discarded, within nine hours of a running service; one of a disabled client
    waits until that is enabled or deleted. That an account was removed stays written down for a
    day: a sign-in that began before may be under way.
    """
    connection = transaction.connection
    user_id = row["id"]
    # In the order in which requests come to them: who redeems a code has it before the person.
    lock_tables(connection, verification)
    person_lock.claim(connection, user.c.id == user_id)
    counts = {
        kind: len(connection.execute(statement).all())
        for kind, statement in _hanging(user_id).items()
    }
    sessions.end_where(transaction, session.c.user_id == user_id)
    connection.execute(delete(verification).where(authorization_codes.of_user(user_id)))
    # The foreign keys delete the rest.
    connection.execute(delete(user).where(user.c.id == user_id))
    transaction.note(UserDeleted(sub=user_id))
    return counts


def release_email(transaction: Transaction, row: UserRow) -> int | None:
    """Part a user from their address and sign them out; return how many sessions ended.

    They have it again when they sign in while the provider says it is theirs and no other user has
    it. None when the user no longer has the address in the row.
    """
    connection = transaction.connection
    user_id = row["id"]
    person_lock.claim(connection, user.c.id == user_id)
    values = {
        "email": _stand_in(connection, user_id),
        "email_verified": False,
        "updated_at": clock.now(),
    }
    still = user.c.id == user_id, user.c.email == row["email"]
    if not connection.execute(update(user).where(*still).values(values)).rowcount:
        return None
    theirs = update(account).where(account.c.user_id == user_id)
    connection.execute(theirs.values(primary_email=None))
    ended = sessions.end_where(transaction, session.c.user_id == user_id)
    transaction.note(EmailReleased(sub=user_id))
    return ended


def _stand_in(connection: Connection, user_id: str) -> str:
    first = (
        select(account.c.provider_id, account.c.account_id)
        .where(account.c.user_id == user_id)
        .order_by(account.c.created_at, account.c.id)
        .limit(1)
    )
    row = connection.execute(first).first()
    if row is None:
        return email_addresses.stand_in_without_account(user_id)
    return email_addresses.stand_in(*row)


def _hanging(user_id: str) -> dict[str, Select[Any]]:
    of_user = select(session.c.id).where(session.c.user_id == user_id)
    with_refresh_token = (_GRANT.user_id == user_id) & ~grants.HAS_NO_REFRESH_TOKEN
    return {
        "accounts": _rows(account, account.c.user_id == user_id),
        "sessions": _rows(session, session.c.user_id == user_id),
        "session_participants": _rows(
            session_participant, session_participant.c.session_id.in_(of_user)
        ),
        "consents": _rows(oauth_consent, oauth_consent.c.user_id == user_id),
        "authorization_codes": _rows(verification, authorization_codes.of_user(user_id)),
        "access_tokens": _ACCESS_TOKENS.where(_GRANT.user_id == user_id),
        "refresh_tokens": _rows(oauth_refresh_token, with_refresh_token),
        "logout_notices": _rows(logout_notice, logout_notice.c.user_id == user_id),
    }


def _removals(user_id: str) -> Select[Any]:
    numbers = select(account.c.account_id).where(account.c.user_id == user_id)
    return _rows(removed_account, removed_account.c.id.in_(numbers))


def _rows(table: Table, which: ColumnElement[bool]) -> Select[Any]:
    hidden = _SECRETS | _OF_FAMILIES.get(table.name, set())
    columns = [column for column in table.c if column.name not in hidden]
    return select(*columns).where(which).order_by(table.c.id)
