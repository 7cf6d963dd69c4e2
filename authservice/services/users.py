"""People: the user behind an account at the identity provider, found or created."""

import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select, update

from authservice import clock
from authservice.crypto.secret_values import random_id
from authservice.models import account, user
from authservice.prepared import Prepared

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class User:
    """A person as stored."""

    id: str
    name: str
    email: str
    email_verified: bool
    image: str | None
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What an identity provider says of a person; ``user_id`` only where it decides the id."""

    provider_id: str
    account_id: str
    name: str
    email: str
    email_verified: bool
    image: str | None
    scope: str | None = None
    user_id: str | None = None


class AccountNotLinkedError(Exception):
    """The address belongs to a user whom this account may not be linked to."""


_BY_ID = Prepared(select(user).where(user.c.id == bindparam("user_id")))
_BY_ACCOUNT = (
    select(user)
    .join(account, account.c.user_id == user.c.id)
    .where(
        account.c.provider_id == bindparam("provider_id"),
        account.c.account_id == bindparam("account_id"),
    )
)


def find(connection: Connection, user_id: str) -> User | None:
    """Return a user by id."""
    row = _BY_ID.first(connection, {"user_id": user_id})
    return None if row is None else User(*row)


def from_profile(connection: Connection, profile: Profile) -> tuple[User, bool]:
    """Return the user behind a profile, and whether this sign-in created them.

    By provider account first; else a user with the same address, if both sides verified it;
    else a new one. Raises AccountNotLinkedError when the address is another user's and not
    verified on both sides.
    """
    if not profile.account_id or not profile.email:
        message = "a profile without an account id or an address identifies nobody"
        raise ValueError(message)
    key = {"provider_id": profile.provider_id, "account_id": profile.account_id}
    row = connection.execute(_BY_ACCOUNT, key).first()
    if row is not None:
        return _follow(connection, User(*row), profile), False
    row = connection.execute(select(user).where(user.c.email == profile.email.lower())).first()
    if row is None:
        created = _create(connection, profile)
        _link(connection, created, profile)
        return created, True
    existing = User(*row)
    if not (existing.email_verified and profile.email_verified):
        raise AccountNotLinkedError
    _link(connection, existing, profile)
    return _follow(connection, existing, profile), False


def _create(connection: Connection, profile: Profile) -> User:
    now = clock.now()
    created = User(
        id=profile.user_id or random_id(),
        name=profile.name,
        email=profile.email.lower(),
        email_verified=profile.email_verified,
        image=profile.image,
        created_at=now,
        updated_at=now,
    )
    connection.execute(insert(user), _row(created))
    return created


def _link(connection: Connection, owner: User, profile: Profile) -> None:
    now = clock.now()
    connection.execute(
        insert(account),
        {
            "id": random_id(),
            "account_id": profile.account_id,
            "provider_id": profile.provider_id,
            "user_id": owner.id,
            "scope": profile.scope,
            "created_at": now,
            "updated_at": now,
        },
    )


def _follow(connection: Connection, known: User, profile: Profile) -> User:
    """Take over what changed at the provider.

    Not an address that another user holds, since two people would become one; nor an unverified
    one in place of a verified one.
    """
    email, verified = known.email, known.email_verified
    address = profile.email.lower()
    if address == email:
        verified = verified or profile.email_verified
    elif _is_taken(connection, address):
        _log.warning(
            "user %s keeps the address: the new one at %s is another user's",
            known.id,
            profile.provider_id,
        )
    elif profile.email_verified or not verified:
        email, verified = address, profile.email_verified
    current = User(
        id=known.id,
        name=profile.name,
        email=email,
        email_verified=verified,
        image=profile.image,
        created_at=known.created_at,
        updated_at=known.updated_at,
    )
    if current == known:
        return known
    changed = _row(current) | {"updated_at": clock.now()}
    connection.execute(update(user).where(user.c.id == known.id).values(changed))
    return User(**changed)


def _is_taken(connection: Connection, address: str) -> bool:
    return connection.scalar(select(user.c.id).where(user.c.email == address)) is not None


def _row(value: User) -> dict[str, Any]:
    return {name: getattr(value, name) for name in User.__slots__}
