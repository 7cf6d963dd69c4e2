"""Events of the provider that wait until some process has acted upon them.

One process at a time acts upon the events of a person, upon all that wait together: a person in two
events is asked about once. If it dies meanwhile, another one does after half a minute.
"""

import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    exists,
    func,
    insert,
    literal,
    or_,
    select,
    update,
)

from authservice import clock
from authservice.database.database import Database, advisory_lock, insert_or_ignore
from authservice.models import account, oauth_refresh_token, provider_event, session

# Longer than it takes to act upon those of one person.
LEASE = timedelta(seconds=30)
# A withdrawal that is replayed signs the person out so often, and no more.
_MOST_WITHDRAWALS, _A_DAY = 5, timedelta(days=1)
# As the provider counts questions.
_AN_HOUR = timedelta(hours=1)
_CLAIMING = int.from_bytes(hashlib.sha256(b"authservice claiming events").digest()[:8], signed=True)
_FIRST_OF_ALL = datetime.fromtimestamp(0, UTC)
_event = provider_event.c
_PERSON = 32


@dataclass(frozen=True, slots=True)
class ClaimedEvents:
    """Events of one person that this process acts upon, until ``until``."""

    ids: tuple[str, ...]
    hints: tuple[Mapping[str, Any], ...]
    until: datetime

    @property
    def person(self) -> str:
        """Return what their ids have in common."""
        return self.ids[0][:_PERSON]


def name(provider_id: str, account_id: str, fingerprint: str) -> str:
    """Return what to store an event about a person under, by the fingerprint of its body.

    It begins with what is the same for all of that person, and says nothing else of them.
    """
    person = hashlib.sha256(f"{provider_id} {account_id}".encode()).hexdigest()[:_PERSON]
    return f"{person} {fingerprint}"


def _person(column: ColumnElement[str]) -> ColumnElement[str]:
    return func.substr(column, 1, _PERSON)


def store(
    connection: Connection,
    event_id: str,
    *,
    first: Mapping[str, Any],
    again: Mapping[str, Any],
    is_urgent: bool = False,
) -> None:
    """Keep what is to be done upon an event: ``again`` if it has been done once.

    What is urgent is done before all else.
    """
    now = clock.now()
    due_at = _FIRST_OF_ALL if is_urgent else now
    row = {"id": event_id, "received_at": now, "due_at": due_at, "hint": first}
    if not insert_or_ignore(connection, provider_event, row):
        # What is under way may have begun before the event: it is done once more.
        hint = func.coalesce(_event.hint, literal(again, _event.hint.type))
        due = {"due_at": now, "hint": hint}
        connection.execute(update(provider_event).where(_event.id == event_id).values(due))


def name_of_withdrawal(
    connection: Connection, event_id: str, provider_id: str, account_id: str
) -> str:
    """Return what to store a person's withdrawal of the App under, which is always the same body.

    It is another name than before where the person has signed in since, five times a day at most.
    """
    now = clock.now()
    same = select(_event.id, _event.received_at).where(_event.id.startswith(event_id))
    known = connection.execute(same.order_by(_event.received_at.desc())).all()
    if not known:
        return event_id
    newest = known[0]
    today = [each for each in known if each.received_at > now - _A_DAY]
    if len(today) >= _MOST_WITHDRAWALS or not _signed_in_since(
        connection, newest.received_at, provider_id, account_id
    ):
        return str(newest.id)
    # The same for all who take it at this moment, so that one of them stores it.
    return f"{event_id} after {newest.received_at.isoformat()}"


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


def claim(database: Database) -> ClaimedEvents | None:
    """Return the events of the person who has waited longest, for this process alone, or None."""
    now = clock.now()
    until = now + LEASE
    other = provider_event.alias()
    same = _person(other.c.id) == _person(_event.id)
    under_way = exists().where(other.c.due_at > now, same)
    waits = select(_event.id).where(_event.due_at <= now, ~under_way)
    longest = waits.order_by(_event.due_at).limit(1).scalar_subquery()
    mine = _event.due_at <= now, _person(_event.id) == _person(longest)
    claiming = update(provider_event).where(*mine).values(due_at=until)
    with database.transaction() as connection:
        # Else another process might claim what came of the same person meanwhile.
        advisory_lock(connection, _CLAIMING)
        rows = connection.execute(claiming.returning(_event.id, _event.hint)).all()
    ids, hints = tuple(row.id for row in rows), tuple(row.hint for row in rows)
    return ClaimedEvents(ids, hints, until) if rows else None


def asked_lately(connection: Connection, events: ClaimedEvents) -> int:
    """Return how many questions the events of a person have taken within the last hour."""
    of_person = _event.id.startswith(f"{events.person} asked "), _event.due_at.is_(None)
    lately = select(_event.hint).where(*of_person, _event.received_at > clock.now() - _AN_HOUR)
    return sum(hint["asked"] for hint in connection.scalars(lately))


def done(database: Database, events: ClaimedEvents, asked: int) -> None:
    """Forget what was to be done, unless an event came again or has another process by now.

    ``asked`` is how many questions it took.
    """
    mine = update(provider_event).where(_event.id.in_(events.ids), _event.due_at == events.until)
    row = {
        "id": f"{events.person} asked {secrets.token_hex(8)}",
        "received_at": clock.now(),
        "hint": {"asked": asked},
    }
    with database.transaction() as connection:
        connection.execute(mine.values(due_at=None, hint=None))
        if asked:
            connection.execute(insert(provider_event).values(row))
