"""Refresh tokens: rotated at each use, with a grace for honest retries, revoked by family.

A family is one row, which its tokens name. One conditional UPDATE decides which request rotates a
token. It also stores the successor, sealed under a key that only the presented token gives. Anyone
who presents the same token again within the grace gets that very successor, from whichever process;
afterwards it is a replay, and the family ends (RFC 9700, section 4.14.2). Older tokens are not
stored: their tag shows that the family gave them out.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, bindparam, exists, select, update

from authservice import clock
from authservice.crypto import family_tokens
from authservice.crypto.family_tokens import seal_under, unseal_under
from authservice.crypto.secret_values import digest, equal, random_id, random_token
from authservice.crypto.server_secret import ServerSecret
from authservice.database.database import without_index
from authservice.database.prepared import Prepared, PreparedRows
from authservice.database.transaction import Transaction
from authservice.events import RefreshTokenReplayed
from authservice.models import (
    oauth_consent,
    oauth_refresh_token,
    session,
    user,
)
from authservice.services.admission.confirmation import ADMITTED, ALWAYS, is_confirmed
from authservice.services.people import consents, person_lock
from authservice.services.people.consents import Allowed
from authservice.services.people.users import User
from authservice.services.tokens import access_tokens, grants, rotations
from authservice.services.tokens.rotations import Rotation

_PURPOSE = "grant"


@dataclass(frozen=True, slots=True)
class Family:
    """What one authorization gave a client, with the state of its newest token, and its user.

    The consent is what the user allows the client by now.
    """

    id: str
    token: str
    client_id: str
    session_id: str | None
    user_id: str
    authorization_code_id: str | None
    expires_at: datetime
    created_at: datetime
    revoked: datetime | None
    auth_time: datetime
    scopes: tuple[str, ...]
    family_expires_at: datetime
    rotated_at: datetime | None
    resources: tuple[str, ...] | None
    requested_claims: dict[str, Any] | None
    key: str | None
    recent: str | None
    session_expires_at: datetime | None
    allowed_scopes: tuple[str, ...] | None
    allowed_resources: tuple[str, ...] | None
    user: User

    @property
    def consent(self) -> Allowed | None:
        """Return what the user allows the client; None where that is nothing."""
        return Allowed.of(self.allowed_scopes, self.allowed_resources)

    @property
    def session_is_alive(self) -> bool:
        """Tell whether the session that the family came from has not ended."""
        return self.session_expires_at is not None and self.session_expires_at > clock.now()

    @property
    def issued_at(self) -> datetime:
        """Return when the current token was issued."""
        return self.rotated_at or self.created_at


@dataclass(frozen=True, slots=True)
class RefreshToken:
    """A token that its family gave out, by its digest."""

    presented: str
    family: Family

    @property
    def is_current(self) -> bool:
        """Tell whether this is the one token of its family that was not exchanged for another."""
        return equal(self.presented, self.family.token)

    @property
    def rotation(self) -> Rotation | None:
        """Return how the token was exchanged, if that was a moment ago."""
        recent = rotations.load(self.family.recent)
        return next((each for each in recent if equal(each.token, self.presented)), None)


class State(Enum):
    """What may happen with a presented token."""

    USABLE = auto()
    REVOKED = auto()
    EXPIRED = auto()
    DROPPED = auto()
    REPLAYED = auto()


class Issued(NamedTuple):
    """A token to answer with, its family, and the session if that is still live.

    ``again`` tells that another request has made it, a moment ago.
    """

    token: str
    id: str
    session_id: str | None
    again: bool = False


_FIND = PreparedRows(
    select(
        *(each for each in oauth_refresh_token.c if each.name in Family.__slots__),
        session.c.expires_at.label("session_expires_at"),
        oauth_consent.c.scopes.label("allowed_scopes"),
        oauth_consent.c.resources.label("allowed_resources"),
        *user.c,
    )
    .join(user, user.c.id == oauth_refresh_token.c.user_id)
    .join(session, session.c.id == oauth_refresh_token.c.session_id, isouter=True)
    .join(
        oauth_consent,
        consents.is_of(oauth_refresh_token.c.user_id, oauth_refresh_token.c.client_id),
        isouter=True,
    )
    .where(oauth_refresh_token.c.id == bindparam("named")),
    Family,
)
_ROTATE = Prepared(
    update(oauth_refresh_token)
    .where(
        oauth_refresh_token.c.id == bindparam("rotated_id"),
        oauth_refresh_token.c.token == bindparam("presented"),
        oauth_refresh_token.c.revoked.is_(None),
        oauth_refresh_token.c.expires_at > bindparam("rotated_at"),
        exists().where(user.c.id == oauth_refresh_token.c.user_id, ADMITTED),
    )
    .values(
        token=bindparam("successor"),
        expires_at=bindparam("ends_at"),
        rotated_at=bindparam("rotated_at"),
        recent=bindparam("rotations"),
        key=bindparam("family_key"),
    )
    # Read in this very statement: the session may have ended since the token was looked up.
    .returning(oauth_refresh_token.c.session_id)
)


def has_form(token: str) -> bool:
    """Tell whether a text has the form of a refresh token; nothing else needs to be looked up."""
    return family_tokens.family_of(token) is not None


def find(connection: Connection, secret: ServerSecret, token: str) -> RefreshToken | None:
    """Return the family that gave a token out, whatever the state of both."""
    family_id = family_tokens.family_of(token)
    family = None if family_id is None else _FIND.first(connection, {"named": family_id})
    if family is None:
        return None
    refresh_token = RefreshToken(digest(token), family)
    known = refresh_token.is_current or refresh_token.rotation is not None
    return refresh_token if known or _is_issued(secret, family, token) else None


def state_of(refresh_token: RefreshToken, grace: timedelta) -> State:
    """Tell what may happen with a token that was presented now."""
    now = clock.now()
    if refresh_token.family.revoked is not None:
        return State.REVOKED
    if refresh_token.is_current:
        return State.USABLE if refresh_token.family.expires_at > now else State.EXPIRED
    rotation = refresh_token.rotation
    if rotation is None:
        dropped_at = rotations.last_dropped(rotations.load(refresh_token.family.recent))
        within = dropped_at is not None and now - dropped_at <= grace
        return State.DROPPED if within else State.REPLAYED
    # A retry counts from the first use, but never past the end of the whole family.
    if now - rotation.at > grace:
        return State.REPLAYED
    if rotation.successor is None:
        return State.DROPPED
    return State.USABLE if refresh_token.family.family_expires_at > now else State.EXPIRED


def start_family(
    connection: Connection,
    secret: ServerSecret,
    *,
    lifetime: timedelta,
    family_lifetime: timedelta,
    **columns: Any,  # noqa: ANN401  (column values)
) -> Issued:
    """Store a family and return its first token."""
    now = clock.now()
    row_id = random_id()
    key = random_token()
    token = family_tokens.issue(row_id, key)
    grants.store(
        connection,
        id=row_id,
        token=digest(token),
        expires_at=now + min(lifetime, family_lifetime),
        family_expires_at=now + family_lifetime,
        key=secret.encrypt(_PURPOSE, key),
        **columns,
    )
    return Issued(token, row_id, columns["session_id"])


def rotate(
    transaction: Transaction,
    secret: ServerSecret,
    presented: str,
    refresh_token: RefreshToken,
    *,
    lifetime: timedelta,
    grace: timedelta,
    confirmed_after: datetime = ALWAYS,
) -> Issued | None:
    """Return the successor of a presented token; None when it may not be used any more.

    The first request makes it. Another one gets what the first made, with its expiry unchanged. A
    replay ends the family. None also when its user is not admitted, or was not confirmed at that
    moment or later.
    """
    now = clock.now()
    key, sealed_key = _opened_key(secret, refresh_token.family)
    token = family_tokens.issue(refresh_token.family.id, key)
    rotation = Rotation(refresh_token.presented, now, seal_under(presented, token))
    # As it was read: while the presented token is the current one, nobody has added to it.
    recent = rotations.followed(rotations.load(refresh_token.family.recent), rotation, now - grace)
    change = {
        "rotated_id": refresh_token.family.id,
        "presented": refresh_token.presented,
        "successor": digest(token),
        "ends_at": min(now + lifetime, refresh_token.family.family_expires_at),
        "rotated_at": now,
        "rotations": rotations.dump(recent),
        "family_key": sealed_key,
        "confirmed_after": confirmed_after,
    }
    row = _ROTATE.first(transaction.connection, change)
    if row is None:
        return _known_successor(transaction, secret, presented, grace, confirmed_after)
    access_tokens.delete_expired(transaction.connection, refresh_token.family.id)
    return Issued(token, refresh_token.family.id, row[0])


def end_replayed_family(transaction: Transaction, refresh_token: RefreshToken) -> None:
    """Revoke the family of a token that was used before: one of those who know it stole it."""
    revoke_family(transaction.connection, refresh_token.family.id)
    transaction.note(
        RefreshTokenReplayed(
            client_id=refresh_token.family.client_id, sub=refresh_token.family.user_id
        )
    )


def revoke_family(connection: Connection, family_id: str) -> None:
    """Revoke a family and delete the access tokens that came with it."""
    which = oauth_refresh_token.c.id == family_id
    _claim_owner(connection, which)
    grants.revoke(connection, which)


def revoke_of_code(connection: Connection, authorization_code_id: str) -> None:
    """Revoke every token that was issued for one authorization code."""
    which = oauth_refresh_token.c.authorization_code_id == authorization_code_id
    _claim_owner(connection, which)
    grants.revoke(connection, which)


def revoke_of_user(connection: Connection, user_id: str, client_id: str | None = None) -> None:
    """Revoke a user's tokens, those of one client or of all."""
    person_lock.claim(connection, user.c.id == user_id)
    which = oauth_refresh_token.c.user_id == user_id
    if client_id is not None:
        which &= without_index(oauth_refresh_token.c.client_id) == client_id
    grants.revoke(connection, which)


def _is_issued(secret: ServerSecret, family: Family, token: str) -> bool:
    key = family.key and secret.decrypt(_PURPOSE, family.key)
    return bool(key) and family_tokens.is_issued(token, str(key))


def _opened_key(secret: ServerSecret, family: Family) -> tuple[str, str]:
    """Return a family's key and what is stored of it.

    It is a new one where there was none, or it was stored under a secret that is lost.
    """
    opened = secret.decrypt_and_renew(_PURPOSE, family.key) if family.key else None
    if opened is not None:
        return opened
    key = random_token()
    return key, secret.encrypt(_PURPOSE, key)


def _known_successor(
    transaction: Transaction,
    secret: ServerSecret,
    presented: str,
    grace: timedelta,
    confirmed_after: datetime,
) -> Issued | None:
    current = find(transaction.connection, secret, presented)
    state = None if current is None else state_of(current, grace)
    if current is not None and state is State.REPLAYED:
        end_replayed_family(transaction, current)
    rotation = None if current is None else current.rotation
    if current is None or rotation is None or state is not State.USABLE:
        return None
    if not is_confirmed(current.family.user, confirmed_after):
        return None
    token = unseal_under(presented, str(rotation.successor))
    return (
        None
        if token is None
        else Issued(token, current.family.id, current.family.session_id, again=True)
    )


def _claim_owner(connection: Connection, which: ColumnElement[bool]) -> None:
    owner = select(oauth_refresh_token.c.user_id).where(which)
    person_lock.claim(connection, user.c.id.in_(owner))
