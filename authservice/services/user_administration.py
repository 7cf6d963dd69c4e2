"""Looking after people: who there is, what is kept of one, and deleting it.

Only commands call this; no route does.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, delete, select, update

from authservice import clock, events
from authservice.db import hold_tables
from authservice.events import EmailReleased, UserDeleted
from authservice.models import (
    account,
    logout_notice,
    oauth_access_token,
    oauth_consent,
    oauth_refresh_token,
    session,
    session_participant,
    user,
    verification,
)
from authservice.services import authorization_codes, email_addresses, person_lock, sessions

UserRow = Mapping[str, Any]

# Digests, and what no more than a token opens: they say nothing of a person.
_SECRETS = {"token", "successor", "access_token", "refresh_token", "id_token", "password"}


def all_users(connection: Connection) -> Iterator[UserRow]:
    """Give every user's row, oldest first."""
    statement = select(user).order_by(user.c.created_at, user.c.id)
    for row in connection.execute(statement).mappings():
        yield dict(row)


def find(connection: Connection, named: str) -> UserRow | None:
    """Return the row of the user with this id or e-mail address."""
    for which in (user.c.id == named, user.c.email == email_addresses.folded(named)):
        row = connection.execute(select(user).where(which)).mappings().first()
        if row is not None:
            return dict(row)
    return None


def everything_about(connection: Connection, user_id: str) -> dict[str, list[dict[str, Any]]]:
    """Return the rows that hang on a user, by kind; digests and what is sealed is left out."""
    return {
        kind: _rows(connection, table, which) for kind, (table, which) in _hanging(user_id).items()
    }


def remove(connection: Connection, row: UserRow) -> dict[str, int]:
    """Delete a user with all that hangs on them, and return how many rows of each kind there were.

    Clients that want to know of a session's end are told. A notice names the user until its
    client has taken note or has been given up, within nine hours of a running service; one of a
    disabled client waits until that is enabled or deleted.
    """
    user_id = row["id"]
    # In the order in which requests come to them: who redeems a code has it before the person.
    hold_tables(connection, verification)
    person_lock.claim(connection, user.c.id == user_id)
    counts = {kind: len(rows) for kind, rows in everything_about(connection, user_id).items()}
    of_user = select(session.c.id).where(session.c.user_id == user_id)
    sessions.end(connection, connection.scalars(of_user).all())
    connection.execute(delete(verification).where(authorization_codes.of_user(user_id)))
    # The foreign keys take along what is left.
    connection.execute(delete(user).where(user.c.id == user_id))
    events.note(connection, UserDeleted(sub=user_id))
    return counts


def release_email(connection: Connection, row: UserRow) -> int | None:
    """Part a user from their address and sign them out; return how many sessions ended.

    They have it again when they sign in while the provider says it is theirs and nobody else has
    taken it. None when the user has no longer the address that the row says.
    """
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
    of_user = select(session.c.id).where(session.c.user_id == user_id)
    ended = sessions.end(connection, connection.scalars(of_user).all())
    events.note(connection, EmailReleased(sub=user_id))
    return ended


def _stand_in(connection: Connection, user_id: str) -> str:
    first = (
        select(account.c.provider_id, account.c.account_id)
        .where(account.c.user_id == user_id)
        .order_by(account.c.created_at, account.c.id)
        .limit(1)
    )
    found = connection.execute(first).first()
    if found is None:
        return email_addresses.stand_in_without_account(user_id)
    return email_addresses.stand_in(*found)


def _hanging(user_id: str) -> dict[str, tuple[Table, ColumnElement[bool]]]:
    of_user = select(session.c.id).where(session.c.user_id == user_id)
    return {
        "accounts": (account, account.c.user_id == user_id),
        "sessions": (session, session.c.user_id == user_id),
        "session_participants": (
            session_participant,
            session_participant.c.session_id.in_(of_user),
        ),
        "consents": (oauth_consent, oauth_consent.c.user_id == user_id),
        "authorization_codes": (verification, authorization_codes.of_user(user_id)),
        "access_tokens": (oauth_access_token, oauth_access_token.c.user_id == user_id),
        "refresh_tokens": (oauth_refresh_token, oauth_refresh_token.c.user_id == user_id),
        "logout_notices": (logout_notice, logout_notice.c.user_id == user_id),
    }


def _rows(connection: Connection, table: Table, which: ColumnElement[bool]) -> list[dict[str, Any]]:
    columns = [column for column in table.c if column.name not in _SECRETS]
    statement = select(*columns).where(which).order_by(table.c.id)
    return [dict(row) for row in connection.execute(statement).mappings()]
