"""Notices that a session ended, stored until their client has been notified.

Taking a notice is one conditional UPDATE that moves its time on: of several processes one makes
the attempt, and one that dies in the middle of it only delays the next.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, bindparam, delete, exists, insert, or_, select, update

from authservice import clock
from authservice.crypto.secret_values import random_id
from authservice.database.database import insert_or_ignore
from authservice.models import logout_notice, oauth_client, session, session_participant

# After these pauses; then the notice is discarded.
_PAUSES = tuple(timedelta(seconds=each) for each in (5, 30, 120, 600, 1800, 7200, 21600))
# Longer than an attempt can take.
_LEASE = timedelta(seconds=60)


@dataclass(frozen=True, slots=True)
class LogoutNotice:
    """One client to notify of the end of one session."""

    id: str
    client_id: str
    user_id: str
    session_id: str
    attempts: int


_DUE = (
    select(logout_notice.c.id)
    .where(
        logout_notice.c.client_id == bindparam("of_client"),
        logout_notice.c.due_at <= bindparam("now"),
    )
    .order_by(logout_notice.c.due_at)
    .limit(1)
)
# A disabled client is notified when it is enabled again.
_WAITING = select(oauth_client.c.client_id).where(
    or_(oauth_client.c.disabled.is_(None), oauth_client.c.disabled == False),  # noqa: E712  (SQL)
    exists().where(
        logout_notice.c.client_id == oauth_client.c.client_id,
        logout_notice.c.due_at <= bindparam("now"),
    ),
)
_TAKE = (
    update(logout_notice)
    .where(logout_notice.c.id == bindparam("notice_id"), logout_notice.c.due_at <= bindparam("now"))
    .values(due_at=bindparam("leased_until"), attempts=logout_notice.c.attempts + 1)
    .returning(*(logout_notice.c[name] for name in LogoutNotice.__slots__))
)


def add_participant(connection: Connection, session_id: str, client_id: str) -> None:
    """Store that a client took part in a session and wants a notice of its end; once is enough."""
    row = {"id": random_id(), "session_id": session_id, "client_id": client_id}
    insert_or_ignore(connection, session_participant, row)


def put_for_sessions(connection: Connection, session_ids: Sequence[str]) -> None:
    """Put notices for all clients that took part in these sessions."""
    now = clock.now()
    rows = connection.execute(
        select(session.c.id, session.c.user_id, session_participant.c.client_id)
        .join(session_participant, session_participant.c.session_id == session.c.id)
        .where(session.c.id.in_(session_ids))
    ).all()
    for row in rows:
        notice = {
            "id": random_id(),
            "client_id": row.client_id,
            "user_id": row.user_id,
            "session_id": row.id,
            "created_at": now,
            "due_at": now,
            "attempts": 0,
        }
        connection.execute(insert(logout_notice), notice)


def next_due(
    connection: Connection, last_turns: Mapping[str, int], passed_over: Collection[str]
) -> str | None:
    """Return the id of the notice that has been due longest, of the client whose turn it is.

    That is the one whose last turn was longest ago, of those that are not passed over.
    """
    now = clock.now()
    waiting = connection.scalars(_WAITING, {"now": now}).all()
    candidates = [client_id for client_id in waiting if client_id not in passed_over]
    if not candidates:
        return None
    client_id = min(candidates, key=lambda each: last_turns.get(each, 0))
    notice_id: str | None = connection.scalar(_DUE, {"of_client": client_id, "now": now})
    return notice_id


def take(connection: Connection, notice_id: str) -> LogoutNotice | None:
    """Return a due notice for one attempt; None when another process was first."""
    now = clock.now()
    lease = {"notice_id": notice_id, "now": now, "leased_until": now + _LEASE}
    row = connection.execute(_TAKE, lease).first()
    return None if row is None else LogoutNotice(*row)


def remove(connection: Connection, notice: LogoutNotice) -> None:
    """Delete a notice: its client has been notified."""
    connection.execute(delete(logout_notice).where(logout_notice.c.id == notice.id))


def postpone(connection: Connection, notice: LogoutNotice) -> datetime | None:
    """Plan the next attempt and return when; None when the notice was discarded."""
    if notice.attempts > len(_PAUSES):
        remove(connection, notice)
        return None
    due_at = clock.now() + _PAUSES[notice.attempts - 1]
    connection.execute(
        update(logout_notice).where(logout_notice.c.id == notice.id).values(due_at=due_at)
    )
    return due_at
