"""Refresh tokens: rotated at each use, with a grace for honest retries, revoked by family.

One conditional UPDATE decides which request rotates a token. It also stores the successor, sealed
under a key that only the presented token gives. Anyone who presents the same token again within the
grace gets that very successor, from whichever process; afterwards it is a replay, and the family
ends (RFC 9700, section 4.14.2).
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, insert, select, update

from authservice import clock, events
from authservice.crypto.secret_values import digest, random_id
from authservice.crypto.token_sealing import seal_under, unseal_under
from authservice.db import past_index
from authservice.events import RefreshTokenReplayed
from authservice.models import oauth_refresh_token, session, user
from authservice.prepared import Prepared
from authservice.services import access_tokens, person_lock
from authservice.services.users import User


@dataclass(frozen=True, slots=True)
class RefreshToken:
    """A refresh token as stored, whatever its state, and the user it speaks for."""

    id: str
    client_id: str
    session_id: str | None
    user_id: str
    authorization_code_id: str | None
    expires_at: datetime
    created_at: datetime
    revoked: datetime | None
    auth_time: datetime
    scopes: tuple[str, ...]
    family_id: str
    family_expires_at: datetime
    rotated_at: datetime | None
    successor: str | None
    resources: tuple[str, ...] | None
    requested_claims: dict[str, Any] | None
    session_expires_at: datetime | None
    user: User

    @property
    def session_is_alive(self) -> bool:
        """Tell whether the session that the token came from has not ended."""
        return self.session_expires_at is not None and self.session_expires_at > clock.now()


class State(Enum):
    """What may happen with a presented token."""

    USABLE = auto()
    REVOKED = auto()
    EXPIRED = auto()
    REPLAYED = auto()


@dataclass(frozen=True, slots=True)
class Successor:
    """The token that takes a rotated one's place, its row, and the session if that still is."""

    token: str
    id: str
    session_id: str | None


_OWN_COLUMNS = tuple(
    oauth_refresh_token.c[name] for name in RefreshToken.__slots__ if name in oauth_refresh_token.c
)
_COLUMNS = (*_OWN_COLUMNS, session.c.expires_at)
_FIND = Prepared(
    select(*_COLUMNS, *user.c)
    .join(user, user.c.id == oauth_refresh_token.c.user_id)
    .join(session, session.c.id == oauth_refresh_token.c.session_id, isouter=True)
    .where(oauth_refresh_token.c.token == bindparam("token_digest"))
)
_INSERT = Prepared(
    insert(oauth_refresh_token),
    "id",
    "token",
    "client_id",
    "session_id",
    "user_id",
    "authorization_code_id",
    "expires_at",
    "created_at",
    "auth_time",
    "scopes",
    "resources",
    "requested_claims",
    "family_id",
    "family_expires_at",
)
_ROTATE = Prepared(
    update(oauth_refresh_token)
    .where(
        oauth_refresh_token.c.id == bindparam("rotated_id"),
        oauth_refresh_token.c.rotated_at.is_(None),
        oauth_refresh_token.c.revoked.is_(None),
        oauth_refresh_token.c.expires_at > bindparam("rotated_at"),
    )
    .values(rotated_at=bindparam("rotated_at"), successor=bindparam("successor"))
    # Read in this very statement: the session may have ended since the token was looked up.
    .returning(oauth_refresh_token.c.session_id)
)

_ERASE_SUCCESSORS = Prepared(
    update(oauth_refresh_token)
    .where(
        oauth_refresh_token.c.family_id == bindparam("of_family"),
        oauth_refresh_token.c.rotated_at < bindparam("before"),
        oauth_refresh_token.c.successor.is_not(None),
    )
    .values(successor=None)
)


def find(connection: Connection, token: str) -> RefreshToken | None:
    """Return a token's row, whatever its state."""
    row = _FIND.first(connection, {"token_digest": digest(token)})
    if row is None:
        return None
    return RefreshToken(*(*row[: len(_COLUMNS)], User(*row[len(_COLUMNS) :])))


def state_of(found: RefreshToken, grace: timedelta) -> State:
    """Tell what may happen with a token that was presented now."""
    now = clock.now()
    if found.revoked is not None:
        return State.REVOKED
    if found.rotated_at is not None and now - found.rotated_at > grace:
        return State.REPLAYED
    # A retry counts from the first use, but never past the end of the whole family.
    ends_at = found.expires_at if found.rotated_at is None else found.family_expires_at
    if ends_at <= now:
        return State.EXPIRED
    return State.USABLE


def start_family(
    connection: Connection,
    token: str,
    *,
    lifetime: timedelta,
    family_lifetime: timedelta,
    **columns: Any,  # noqa: ANN401  (column values)
) -> str:
    """Store the first token of a family and return its row's id."""
    now = clock.now()
    row_id = random_id()
    row = {
        "id": row_id,
        "token": digest(token),
        "created_at": now,
        "expires_at": now + min(lifetime, family_lifetime),
        "family_id": row_id,
        "family_expires_at": now + family_lifetime,
    }
    _INSERT.rowcount(connection, row | columns)
    return row_id


def rotate(
    connection: Connection,
    presented: str,
    found: RefreshToken,
    new_token: str,
    *,
    lifetime: timedelta,
    grace: timedelta,
) -> Successor | None:
    """Return the successor of a presented token; None when it may not be used any more.

    The new token becomes the successor if this request is the first; otherwise the one that the
    first request made is returned, with its expiry unchanged. A replay ends the family.
    """
    now = clock.now()
    sealed = seal_under(presented, new_token)
    change = {"rotated_id": found.id, "rotated_at": now, "successor": sealed}
    row = _ROTATE.first(connection, change)
    if row is None:
        return _known_successor(connection, presented, grace)
    _erase_old_successors(connection, found.family_id, now - grace)
    session_id: str | None = row[0]
    row_id = _insert_successor(connection, found, session_id, new_token, now + lifetime)
    return Successor(new_token, row_id, session_id)


def end_replayed_family(connection: Connection, found: RefreshToken) -> None:
    """Revoke the family of a token that was used before: one of those who know it stole it."""
    revoke_family(connection, found.family_id)
    events.note(connection, RefreshTokenReplayed(client_id=found.client_id, sub=found.user_id))


def revoke_family(connection: Connection, family_id: str) -> None:
    """Revoke every token of a family and delete the access tokens that came with them."""
    which = oauth_refresh_token.c.family_id == family_id
    _claim_owner(connection, which)
    _revoke(connection, which)


def revoke_of_code(connection: Connection, authorization_code_id: str) -> None:
    """Revoke every token that goes back to one authorization code."""
    family = select(oauth_refresh_token.c.family_id).where(
        oauth_refresh_token.c.authorization_code_id == authorization_code_id,
        # The first of a family gave it its name, and it alone is indexed by the code.
        oauth_refresh_token.c.id == oauth_refresh_token.c.family_id,
    )
    which = oauth_refresh_token.c.family_id.in_(family)
    _claim_owner(connection, which)
    _revoke(connection, which)
    access_tokens.delete_of_code(connection, authorization_code_id)


def revoke_of_user(connection: Connection, user_id: str, client_id: str | None = None) -> None:
    """Revoke a user's tokens, those of one client or of all, and delete their access tokens."""
    person_lock.claim(connection, user.c.id == user_id)
    which = oauth_refresh_token.c.user_id == user_id
    if client_id is not None:
        which &= past_index(oauth_refresh_token.c.client_id) == client_id
    _revoke(connection, which)
    access_tokens.delete_of_user(connection, user_id, client_id)


def _insert_successor(
    connection: Connection,
    found: RefreshToken,
    session_id: str | None,
    token: str,
    expires_at: datetime,
) -> str:
    row_id = random_id()
    row = {
        "id": row_id,
        "token": digest(token),
        "client_id": found.client_id,
        "session_id": session_id,
        "user_id": found.user_id,
        "authorization_code_id": found.authorization_code_id,
        "expires_at": min(expires_at, found.family_expires_at),
        "created_at": clock.now(),
        "auth_time": found.auth_time,
        "scopes": found.scopes,
        "resources": found.resources,
        "requested_claims": found.requested_claims,
        "family_id": found.family_id,
        "family_expires_at": found.family_expires_at,
    }
    _INSERT.rowcount(connection, row)
    return row_id


def _known_successor(connection: Connection, presented: str, grace: timedelta) -> Successor | None:
    current = find(connection, presented)
    state = None if current is None else state_of(current, grace)
    if current is not None and state is State.REPLAYED:
        end_replayed_family(connection, current)
    if current is None or state is not State.USABLE:
        return None
    token = unseal_under(presented, current.successor) if current.successor else None
    successor = find(connection, token) if token else None
    if token is None or successor is None:
        return None
    return Successor(token, successor.id, successor.session_id)


def _erase_old_successors(connection: Connection, family_id: str, before: datetime) -> None:
    _ERASE_SUCCESSORS.rowcount(connection, {"of_family": family_id, "before": before})


def _claim_owner(connection: Connection, which: ColumnElement[bool]) -> None:
    owner = select(oauth_refresh_token.c.user_id).where(which)
    person_lock.claim(connection, user.c.id.in_(owner))


def _revoke(connection: Connection, which: ColumnElement[bool]) -> None:
    revoked = connection.scalars(select(oauth_refresh_token.c.id).where(which)).all()
    access_tokens.delete_of_refresh_tokens(connection, revoked)
    connection.execute(
        update(oauth_refresh_token)
        .where(which, oauth_refresh_token.c.revoked.is_(None))
        .values(revoked=clock.now(), successor=None)
    )
