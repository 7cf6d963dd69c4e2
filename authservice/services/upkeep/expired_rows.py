"""Expired rows: how each kind is selected, and deleted step by step.

Most rows are deleted two days after they expire. That is longer than an access token is valid,
than a refresh may be repeated, and than the clocks of several machines differ. So when a code or a
family of refresh tokens is deleted, all tokens made from it have expired. A replay is refused as
before, with nothing left to revoke.

Users, consents and clients do not expire. A logout notice is deleted by those who deliver it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Select,
    Table,
    bindparam,
    delete,
    exists,
    select,
    update,
)

from authservice.database.transaction import Transaction
from authservice.models import (
    fetched_keys,
    oauth_access_token,
    oauth_refresh_token,
    provider_event,
    removed_account,
    session,
    verification,
)
from authservice.services.sessions import sessions
from authservice.services.tokens import grants

RETENTION = timedelta(days=2)

_REFRESH = oauth_refresh_token.c
BEGINNING = datetime.fromtimestamp(0, UTC)


class Step(NamedTuple):
    """What one transaction did: how many rows it changed, and how many it counts as deleted."""

    changed: int
    deleted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpiredRows:
    """One kind of row, or of value in a row.

    ``find`` selects keys and places of what was over at the moment ``over``, from the place
    ``after`` on, in the order of places, at most ``number`` of them. ``remove`` deletes what these
    keys stand for, some rows at a time: it is repeated until it changes nothing.
    """

    name: str
    find: Select[Any]
    remove: Callable[[Transaction, Sequence[str], datetime, int], Step]
    retention: timedelta = RETENTION


def _by(moment: Column[datetime], table: Table) -> Select[Any]:
    within = moment.between(bindparam("after"), bindparam("over"))
    return select(table.c.id, moment).where(within).order_by(moment).limit(bindparam("number"))


def _by_expiry(table: Table) -> Select[Any]:
    return _by(table.c.expires_at, table)


def _remove_from(table: Table) -> Callable[[Transaction, Sequence[str], datetime, int], Step]:
    def remove(transaction: Transaction, ids: Sequence[str], _over: datetime, number: int) -> Step:
        return _delete(transaction.connection, table, table.c.id.in_(ids), number)

    return remove


def _remove_access_tokens(
    transaction: Transaction, ids: Sequence[str], _over: datetime, number: int
) -> Step:
    """Delete access tokens, each with its grant where that has no refresh token."""
    connection = transaction.connection
    taken = _taken(connection, oauth_refresh_token, _of_access_tokens(ids), number)
    alone = _REFRESH.id.in_(taken) & grants.HAS_NO_REFRESH_TOKEN
    # The foreign key deletes their access tokens.
    gone = connection.execute(delete(oauth_refresh_token).where(alone)).rowcount
    which = oauth_access_token.c.id.in_(ids) & oauth_access_token.c.refresh_id.in_(taken)
    deleted = gone + connection.execute(delete(oauth_access_token).where(which)).rowcount
    return Step(deleted, deleted)


def _of_access_tokens(ids: Sequence[str]) -> ColumnElement[bool]:
    return _REFRESH.id.in_(
        select(oauth_access_token.c.refresh_id).where(oauth_access_token.c.id.in_(ids))
    )


def _remove_sessions(
    transaction: Transaction, ids: Sequence[str], over: datetime, number: int
) -> Step:
    """End sessions, once their refresh tokens have let go of them: a session may have many."""
    connection = transaction.connection
    expired = session.c.id.in_(ids) & (session.c.expires_at <= over)
    held = _REFRESH.session_id.in_(select(session.c.id).where(expired))
    tokens = _taken(connection, oauth_refresh_token, held, number)
    if tokens:
        # Which ended with the session, and would not end without it.
        grants.delete_access(connection, _REFRESH.id.in_(tokens))
        forget = update(oauth_refresh_token).where(_REFRESH.id.in_(tokens)).values(session_id=None)
        connection.execute(forget)
        return Step(len(tokens), 0)
    let_go = ~exists().where(_REFRESH.session_id == session.c.id)
    ended = sessions.end(transaction, _taken(connection, session, expired & let_go, number))
    return Step(ended, ended)


def _remove_families(
    transaction: Transaction, family_ids: Sequence[str], _over: datetime, number: int
) -> Step:
    which = _REFRESH.id.in_(family_ids)
    return _delete(transaction.connection, oauth_refresh_token, which, number)


def _erase_successors(
    transaction: Transaction, ids: Sequence[str], over: datetime, number: int
) -> Step:
    connection = transaction.connection
    # Not one that was rotated again since it was read.
    idle = _REFRESH.id.in_(ids) & (_REFRESH.rotated_at <= over) & _REFRESH.recent.is_not(None)
    taken = _taken(connection, oauth_refresh_token, idle, number)
    if taken:
        erase = update(oauth_refresh_token).where(_REFRESH.id.in_(taken)).values(recent=None)
        connection.execute(erase)
    return Step(len(taken), len(taken))


def _delete(connection: Connection, table: Table, which: ColumnElement[bool], number: int) -> Step:
    ids = _taken(connection, table, which, number)
    if not ids:
        return Step(0, 0)
    deleted = connection.execute(delete(table).where(table.c.id.in_(ids))).rowcount
    return Step(deleted, deleted)


def _taken(
    connection: Connection, table: Table, which: ColumnElement[bool], number: int
) -> Sequence[str]:
    """Return rows for this transaction alone; those that another one holds are left to it."""
    statement = select(table.c.id).where(which).limit(number).with_for_update(skip_locked=True)
    return connection.scalars(statement).all()


# Access tokens are deleted first, so that few rows refer to a session or a family.
ALL_KINDS = (
    ExpiredRows(
        name="access_tokens",
        find=_by_expiry(oauth_access_token),
        remove=_remove_access_tokens,
    ),
    ExpiredRows(name="sessions", find=_by_expiry(session), remove=_remove_sessions),
    ExpiredRows(
        name="sealed_successors",
        find=_by(_REFRESH.rotated_at, oauth_refresh_token).where(_REFRESH.recent.is_not(None)),
        remove=_erase_successors,
        # Longer than a refresh may be repeated, and than clocks differ.
        retention=timedelta(hours=1),
    ),
    ExpiredRows(
        name="refresh_tokens",
        # Those of which the former kind has left nothing.
        find=_by_expiry(oauth_refresh_token).where(_REFRESH.recent.is_(None)),
        remove=_remove_families,
    ),
    ExpiredRows(
        name="verifications",
        find=_by_expiry(verification),
        remove=_remove_from(verification),
        # Any stranger may begin a sign-in, and what it leads back to may be long. A code that was
        # redeemed expires with the last token that is made from it, and clocks differ by less.
        retention=timedelta(hours=1),
    ),
    ExpiredRows(
        name="removed_accounts",
        find=_by(removed_account.c.removed_at, removed_account),
        remove=_remove_from(removed_account),
        # No sign-in takes so long that its confirmation began before that.
        retention=timedelta(days=1),
    ),
    ExpiredRows(
        name="provider_events",
        find=_by(provider_event.c.received_at, provider_event),
        remove=_remove_from(provider_event),
        # How long an event that comes again is known as such.
        retention=timedelta(days=30),
    ),
    ExpiredRows(
        name="fetched_keys",
        # Those that nobody needed any more; they can be fetched again.
        find=_by(fetched_keys.c.asked_at, fetched_keys),
        remove=_remove_from(fetched_keys),
    ),
)
