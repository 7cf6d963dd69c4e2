"""Rows that nobody can make use of any more: how each kind is found, and deleted step by step.

A row goes when its time has been over for two days: longer than an access token lives, than a
refresh may be repeated, and than the clocks of several machines differ. So when a code or a family
of refresh tokens goes, no token made from it counts any more, and anyone who repeats what was spent
is refused as before, with nothing left to revoke.

Users, consents and clients do not expire. A logout notice is deleted by those who deliver it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import (
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

from authservice.models import (
    oauth_access_token,
    oauth_refresh_token,
    posted_request,
    session,
    verification,
)
from authservice.services import sessions

KEPT_FOR = timedelta(days=2)

_REFRESH = oauth_refresh_token.c
_BEGINNING = datetime.fromtimestamp(0, UTC)


class Step(NamedTuple):
    """What one transaction did: how many rows it changed, and how many it counts as deleted."""

    changed: int
    deleted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpiredRows:
    """One kind of row, or of value in a row.

    ``find`` selects keys and places of what was over at the moment ``over``, from the place
    ``after`` on, in the order of places, at most ``number`` of them. ``remove`` deletes what these
    keys stand for, or first so many rows that hang on it: repeated until it changes nothing, all.
    """

    name: str
    find: Select[Any]
    remove: Callable[[Connection, Sequence[str], datetime, int], Step]
    first_place: Any = _BEGINNING
    kept_for: timedelta = KEPT_FOR


def _by_expiry(table: Table, key: str = "id") -> Select[Any]:
    moment = table.c.expires_at
    within = moment.between(bindparam("after"), bindparam("over"))
    return select(table.c[key], moment).where(within).order_by(moment).limit(bindparam("number"))


def _remove_from(table: Table) -> Callable[[Connection, Sequence[str], datetime, int], Step]:
    def remove(connection: Connection, ids: Sequence[str], _over: datetime, number: int) -> Step:
        return _delete(connection, table, table.c.id.in_(ids), number)

    return remove


def _remove_sessions(
    connection: Connection, ids: Sequence[str], over: datetime, number: int
) -> Step:
    """End sessions, once their refresh tokens have let go of them: a session may have many."""
    expired = session.c.id.in_(ids) & (session.c.expires_at <= over)
    held = _REFRESH.session_id.in_(select(session.c.id).where(expired))
    tokens = _taken(connection, oauth_refresh_token, held, number)
    if tokens:
        forget = update(oauth_refresh_token).where(_REFRESH.id.in_(tokens)).values(session_id=None)
        connection.execute(forget)
        return Step(len(tokens), 0)
    let_go = ~exists().where(_REFRESH.session_id == session.c.id)
    ended = sessions.end(connection, _taken(connection, session, expired & let_go, number))
    return Step(ended, ended)


def _remove_families(
    connection: Connection, family_ids: Sequence[str], _over: datetime, number: int
) -> Step:
    """Delete families, each one's last token at the very end: by that one it is found."""
    rotated = _REFRESH.family_id.in_(family_ids) & _REFRESH.rotated_at.is_not(None)
    step = _delete(connection, oauth_refresh_token, rotated, number)
    if step.changed:
        return step
    other = oauth_refresh_token.alias("other")
    alone = ~exists().where(
        other.c.family_id == _REFRESH.family_id, other.c.rotated_at.is_not(None)
    )
    last = _REFRESH.family_id.in_(family_ids) & _REFRESH.rotated_at.is_(None)
    return _delete(connection, oauth_refresh_token, last & alone, number)


def _erase_successors(
    connection: Connection, ids: Sequence[str], _over: datetime, number: int
) -> Step:
    taken = _taken(connection, oauth_refresh_token, _REFRESH.id.in_(ids), number)
    if taken:
        erase = update(oauth_refresh_token).where(_REFRESH.id.in_(taken)).values(successor=None)
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


# Access tokens go before what they came from, so that little hangs on a session or a family.
ALL_KINDS = (
    ExpiredRows(
        name="access_tokens",
        find=_by_expiry(oauth_access_token),
        remove=_remove_from(oauth_access_token),
    ),
    ExpiredRows(name="sessions", find=_by_expiry(session), remove=_remove_sessions),
    ExpiredRows(
        name="refresh_tokens",
        # A family is over when the one token that was not exchanged for another is.
        find=_by_expiry(oauth_refresh_token, "family_id").where(_REFRESH.rotated_at.is_(None)),
        remove=_remove_families,
    ),
    ExpiredRows(
        name="sealed_successors",
        find=select(_REFRESH.id, _REFRESH.family_id)
        .where(
            _REFRESH.successor.is_not(None),
            _REFRESH.rotated_at <= bindparam("over"),
            _REFRESH.family_id >= bindparam("after"),
        )
        .order_by(_REFRESH.family_id)
        .limit(bindparam("number")),
        remove=_erase_successors,
        first_place="",
        # Longer than a refresh may be repeated, and than clocks differ.
        kept_for=timedelta(hours=1),
    ),
    ExpiredRows(
        name="verifications", find=_by_expiry(verification), remove=_remove_from(verification)
    ),
    ExpiredRows(
        name="posted_requests",
        find=_by_expiry(posted_request),
        remove=_remove_from(posted_request),
        # So long a page may have one that has expired. Each is large, so none stays longer.
        kept_for=timedelta(minutes=10),
    ),
)
