"""Events of the provider that wait until some process has acted upon them.

One process at a time acts upon an event. If it dies meanwhile, another one does after half a
minute.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, exists, func, literal, or_, select, update

from authservice import clock
from authservice.database.database import Database, insert_or_ignore
from authservice.models import account, oauth_refresh_token, provider_event, session

# Longer than it takes to act upon one.
LEASE = timedelta(seconds=30)
# A withdrawal that is replayed signs the person out so often, and no more.
_MOST_WITHDRAWALS, _A_DAY = 5, timedelta(days=1)
_event = provider_event.c


@dataclass(frozen=True, slots=True)
class ClaimedEvent:
    """An event that this process acts upon, until ``until``."""

    id: str
    hint: Mapping[str, Any]
    until: datetime


def store(
    connection: Connection,
    fingerprint: str,
    *,
    first: Mapping[str, Any],
    again: Mapping[str, Any],
) -> None:
    """Keep what is to be done upon an event: ``again`` if it has been done once."""
    now = clock.now()
    row = {"id": fingerprint, "received_at": now, "due_at": now, "hint": first}
    if not insert_or_ignore(connection, provider_event, row):
        # What is under way may have begun before the event: it is done once more.
        hint = func.coalesce(_event.hint, literal(again, _event.hint.type))
        due = {"due_at": now, "hint": hint}
        connection.execute(update(provider_event).where(_event.id == fingerprint).values(due))


def name_of_withdrawal(
    connection: Connection, fingerprint: str, provider_id: str, account_id: str
) -> str:
    """Return what to store a person's withdrawal of the App under, which is always the same body.

    It is another name than before where the person has signed in since, five times a day at most.
    """
    now = clock.now()
    same = select(_event.id, _event.received_at).where(_event.id.startswith(fingerprint))
    known = connection.execute(same.order_by(_event.received_at.desc())).all()
    if not known:
        return fingerprint
    newest = known[0]
    today = [each for each in known if each.received_at > now - _A_DAY]
    if len(today) >= _MOST_WITHDRAWALS or not _signed_in_since(
        connection, newest.received_at, provider_id, account_id
    ):
        return str(newest.id)
    # The same for all who take it at this moment, so that one of them stores it.
    return f"{fingerprint} after {newest.received_at.isoformat()}"


def _signed_in_since(
    connection: Connection, moment: datetime, provider_id: str, account_id: str
) -> bool:
    """Tell whether the person has anything that a sign-in after a moment made."""
    mine = account.c.provider_id == provider_id, account.c.account_id == account_id
    owner = select(account.c.user_id).where(*mine).scalar_subquery()
    made = [
        exists().where(table.c.user_id == owner, table.c.created_at > moment)
        for table in (session, oauth_refresh_token)
    ]
    return bool(connection.scalar(select(or_(*made))))


def count_due(connection: Connection, most: int) -> int:
    """Return how many events wait for a process, up to ``most``."""
    due = select(_event.id).where(_event.due_at <= clock.now()).limit(most)
    return len(connection.scalars(due).all())


def claim(database: Database) -> ClaimedEvent | None:
    """Return the event that has waited longest, for this process alone, or None."""
    now = clock.now()
    longest = select(_event.id).where(_event.due_at <= now).order_by(_event.due_at).limit(1)
    # On PostgreSQL several processes claim at the same time, each another one.
    mine = longest.with_for_update(skip_locked=True).scalar_subquery()
    until = now + LEASE
    claiming = update(provider_event).where(_event.id == mine).values(due_at=until)
    with database.transaction() as connection:
        row = connection.execute(claiming.returning(_event.id, _event.hint)).one_or_none()
    return None if row is None else ClaimedEvent(row.id, row.hint, until)


def done(database: Database, event: ClaimedEvent) -> None:
    """Forget what was to be done, unless the event came again or has another process by now."""
    mine = update(provider_event).where(_event.id == event.id, _event.due_at == event.until)
    with database.transaction() as connection:
        connection.execute(mine.values(due_at=None, hint=None))
