"""Events of the provider that wait until some process has acted upon them.

One process at a time acts upon an event. If it dies meanwhile, another one does after half a
minute.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, func, literal, select, update

from authservice import clock
from authservice.database.database import Database, insert_or_ignore
from authservice.models import provider_event

# Longer than it takes to act upon one.
LEASE = timedelta(seconds=30)
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
