"""The central session: one for each sign-in, identified by a token (stored as a digest only)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    bindparam,
    delete,
    exists,
    func,
    insert,
    join,
    select,
    update,
)

from authservice import clock
from authservice.crypto.secret_values import digest, random_id, random_token
from authservice.database.prepared import Prepared, PreparedRows
from authservice.database.transaction import Transaction
from authservice.events import SignedOut
from authservice.models import oauth_refresh_token, session, session_participant, user
from authservice.services.admission.confirmation import ADMITTED, ALWAYS
from authservice.services.people import person_lock
from authservice.services.people.users import User
from authservice.services.sessions import logout_notices
from authservice.services.tokens import grants

# How the token of a session begins that was renewed: its companion cookie hangs on the token, too.
_RENEWED = "-"

ENDED_AT_ONCE = 100
"""How many expired sessions are read at a time, so that no transaction takes long."""


class NotAdmittedError(Exception):
    """The person of a new session is no longer admitted, or was deleted meanwhile."""


@dataclass(frozen=True, slots=True)
class CentralSession:
    """A live session, and its user."""

    id: str
    expires_at: datetime
    created_at: datetime
    updated_at: datetime
    ip_address: str | None
    user_agent: str | None
    user: User

    @property
    def auth_time(self) -> datetime:
        """Return when the person signed in."""
        return self.created_at


def select_with_user(*before: ColumnElement[Any]) -> Select[Any]:
    """Return what selects other columns, and then those of CentralSession, alive or not."""
    own = (
        session.c.id,
        session.c.expires_at,
        session.c.created_at,
        session.c.updated_at,
        session.c.ip_address,
        session.c.user_agent,
    )
    joined = join(session, user, user.c.id == session.c.user_id)
    return select(*before, *own, *user.c).select_from(joined)


_ALL = select_with_user()
_BY_TOKEN = PreparedRows(_ALL.where(session.c.token == bindparam("token_digest")), CentralSession)
_BY_ID = PreparedRows(_ALL.where(session.c.id == bindparam("with_id")), CentralSession)
_EXPIRED_WITH_PARTICIPANTS = (
    select(session.c.id)
    .where(
        session.c.expires_at > bindparam("after"),
        session.c.expires_at <= bindparam("now"),
        # For a join SQLite would read every session.
        exists().where(session_participant.c.session_id == session.c.id),
    )
    .limit(ENDED_AT_ONCE)
)
_LIVE = _ALL.where(
    session.c.user_id == bindparam("of_user"), session.c.expires_at > bindparam("now")
)
_OF_USER = PreparedRows(_LIVE.order_by(session.c.created_at), CentralSession)
_PAGE_OF_USER = PreparedRows(
    _LIVE.order_by(session.c.id != bindparam("first_id"), session.c.updated_at.desc(), session.c.id)
    .limit(bindparam("at_most"))
    .offset(bindparam("beyond")),
    CentralSession,
)
_COUNT_OF_USER = select(func.count()).where(
    session.c.user_id == bindparam("of_user"), session.c.expires_at > bindparam("now")
)
_NEW = tuple(column.name for column in session.c)
_CREATE = Prepared(
    insert(session).from_select(
        _NEW,
        select(*(bindparam(f"new_{name}", type_=session.c[name].type) for name in _NEW)).where(
            user.c.id == bindparam("of_user"), ADMITTED
        ),
    )
)
_HOLD = (
    select(session.c.id, session.c.user_id, session.c.expires_at)
    .where(session.c.id.in_(bindparam("session_ids", expanding=True)))
    .order_by(session.c.id)
    .with_for_update()
)


def find(connection: Connection, token: str) -> CentralSession | None:
    """Return the session that a cookie's token names, if it is alive."""
    return alive(_BY_TOKEN.first(connection, {"token_digest": digest(token)}))


def find_by_id(connection: Connection, session_id: str) -> CentralSession | None:
    """Return a session by its id, if it is alive."""
    return alive(_BY_ID.first(connection, {"with_id": session_id}))


def of_user(connection: Connection, user_id: str) -> list[CentralSession]:
    """Return the user's live sessions, oldest first."""
    return _OF_USER.all(connection, {"of_user": user_id, "now": clock.now()})


def page_of_user(
    connection: Connection, current: CentralSession, *, at_most: int, beyond: int
) -> list[CentralSession]:
    """Return some of the live sessions of a session's user: that one, then the newest in use."""
    parameters = {
        "of_user": current.user.id,
        "first_id": current.id,
        "now": clock.now(),
        "at_most": at_most,
        "beyond": beyond,
    }
    return _PAGE_OF_USER.all(connection, parameters)


def count_of_user(connection: Connection, user_id: str) -> int:
    """Return how many live sessions a user has."""
    parameters = {"of_user": user_id, "now": clock.now()}
    return connection.execute(_COUNT_OF_USER, parameters).scalar_one()


def create(
    connection: Connection,
    owner: User,
    lifetime: timedelta,
    *,
    ip_address: str | None = None,
    user_agent: str | None = None,
    confirmed_after: datetime = ALWAYS,
) -> tuple[CentralSession, str]:
    """Return a new session and its token, which exists nowhere else.

    Raises NotAdmittedError if its person is not admitted, or was not confirmed at that moment or
    later.
    """
    now = clock.now()
    token = random_token()
    created = CentralSession(
        id=random_id(),
        expires_at=now + lifetime,
        created_at=now,
        updated_at=now,
        ip_address=ip_address,
        user_agent=user_agent,
        user=owner,
    )
    new = {
        "new_id": created.id,
        "new_token": digest(token),
        "new_user_id": owner.id,
        "new_expires_at": created.expires_at,
        "new_created_at": now,
        "new_updated_at": now,
        "new_ip_address": ip_address,
        "new_user_agent": user_agent,
        "of_user": owner.id,
        "confirmed_after": confirmed_after,
    }
    if not _CREATE.rowcount(connection, new):
        raise NotAdmittedError
    return created, token


def renew(
    connection: Connection,
    current: CentralSession,
    token: str,
    lifetime: timedelta,
    *,
    ip_address: str | None,
    user_agent: str | None,
    confirmed_after: datetime = ALWAYS,
) -> tuple[CentralSession, str] | None:
    """Return a session whose person has signed in again, begun just now, and its new token.

    Its id stays, and so do the clients that took part and their access tokens. None when it has
    ended meanwhile, or when another sign-in has renewed it: the token is another one then. None
    also when the person is not admitted, as ``create`` says.
    """
    now = clock.now()
    renewed = replace(
        current,
        expires_at=now + lifetime,
        created_at=now,
        updated_at=now,
        ip_address=ip_address,
        user_agent=user_agent,
    )
    new_token = f"{_RENEWED}{random_token()}"
    changed = connection.execute(
        update(session)
        .where(
            session.c.id == current.id,
            session.c.token == digest(token),
            session.c.expires_at > now,
            exists().where(user.c.id == session.c.user_id, ADMITTED),
        )
        .values(
            token=digest(new_token),
            expires_at=renewed.expires_at,
            created_at=now,
            updated_at=now,
            ip_address=ip_address,
            user_agent=user_agent,
        ),
        {"confirmed_after": confirmed_after},
    )
    return (renewed, new_token) if changed.rowcount == 1 else None


def is_renewed(token: str) -> bool:
    """Tell whether a token came with a sign-in that renewed a session."""
    return token.startswith(_RENEWED)


def is_extension_due(current: CentralSession, interval: timedelta) -> bool:
    """Tell whether the last extension lies longer ago than the interval."""
    return clock.now() - current.updated_at > interval


def is_too_old(current: CentralSession, longest: timedelta) -> bool:
    """Tell whether the sign-in lies so long ago that the session is over, whatever its expiry.

    That is so when the longest life was shortened, or came later than the session.
    """
    return current.created_at + longest <= clock.now()


def extend(
    connection: Connection, current: CentralSession, lifetime: timedelta, longest: timedelta
) -> CentralSession | None:
    """Return the session with its expiry moved on, but not beyond its longest life.

    None when it is no longer as it was read: it has ended, another request has extended it, or a
    sign-in has renewed it. What was read would then give it an end that is too early.
    """
    now = clock.now()
    expires_at = min(now + lifetime, current.created_at + longest)
    changed = connection.execute(
        update(session)
        .where(
            session.c.id == current.id,
            # Every extension and every renewal moves it.
            session.c.updated_at == current.updated_at,
            session.c.expires_at > now,
        )
        .values(expires_at=expires_at, updated_at=now)
    )
    return replace(current, expires_at=expires_at, updated_at=now) if changed.rowcount else None


def end(transaction: Transaction, session_ids: Sequence[str]) -> int:
    """End sessions, delete the access tokens that came of them, and note whom to tell.

    Returns how many sessions ended.
    """
    connection = transaction.connection
    owners = select(session.c.user_id).where(session.c.id.in_(session_ids))
    person_lock.claim(connection, user.c.id.in_(owners))
    # Of several transactions that end a session at the same moment, one notifies the clients.
    held = connection.execute(_HOLD, {"session_ids": list(session_ids)}).all()
    if not held:
        return 0
    now = clock.now()
    for row in held:
        if row.expires_at > now:
            transaction.note(SignedOut(sub=row.user_id, sid=row.id))
    ending = [row.id for row in held]
    logout_notices.put_for_sessions(connection, ending)
    # The foreign key would only clear the column and leave the tokens alive.
    grants.delete_access(connection, oauth_refresh_token.c.session_id.in_(ending))
    return connection.execute(delete(session).where(session.c.id.in_(ending))).rowcount


def end_where(transaction: Transaction, which: ColumnElement[bool]) -> int:
    """End the sessions that a condition selects, however many, as ``end`` does."""
    ids = transaction.connection.scalars(select(session.c.id).where(which)).all()
    return sum(
        end(transaction, ids[begin : begin + ENDED_AT_ONCE])
        for begin in range(0, len(ids), ENDED_AT_ONCE)
    )


def ids_of_tokens(
    connection: Connection, tokens: Iterable[str], *, alive: bool = False
) -> dict[str, str]:
    """Return the ids of the sessions that tokens of cookies name, by token, in one look.

    Unless only those that are alive are wanted, expired ones are among them.
    """
    by_digest = {digest(token): token for token in tokens}
    if not by_digest:
        return {}
    statement = select(session.c.token, session.c.id).where(session.c.token.in_(by_digest))
    if alive:
        statement = statement.where(session.c.expires_at > clock.now())
    return {by_digest[row.token]: row.id for row in connection.execute(statement)}


def expired_with_participants(connection: Connection, after: datetime) -> Sequence[str]:
    """Return sessions that expired after a moment and whose clients still have to be notified.

    There are more, perhaps, when they are as many as ``ENDED_AT_ONCE``.
    """
    parameters = {"after": after, "now": clock.now()}
    return connection.scalars(_EXPIRED_WITH_PARTICIPANTS, parameters).all()


def alive(found: CentralSession | None) -> CentralSession | None:
    """Return a session that was found, if there is one and it is alive."""
    return found if found is not None and found.expires_at > clock.now() else None
