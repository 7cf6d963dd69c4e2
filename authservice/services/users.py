"""People: the user behind an account at the identity provider, found or created."""

import logging
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, delete, select, update
from sqlalchemy.exc import IntegrityError

from authservice import clock
from authservice.crypto.secret_values import random_id
from authservice.db import insert_or_ignore
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


# How often a sign-in is looked at anew because another one of the same person came first.
_ATTEMPTS = 3

_BY_ID = Prepared(select(user).where(user.c.id == bindparam("user_id")))
# The user is changed after what is found: nobody else may change them meanwhile.
_BY_ACCOUNT = (
    select(user)
    .join(account, account.c.user_id == user.c.id)
    .where(
        account.c.provider_id == bindparam("provider_id"),
        account.c.account_id == bindparam("account_id"),
    )
    .with_for_update(key_share=True, of=user)
)
_BY_ADDRESS = select(user).where(user.c.email == bindparam("address"))
_HOLDER = _BY_ADDRESS.with_for_update(key_share=True)


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
    for _ in range(_ATTEMPTS):
        known = _of_account(connection, profile)
        if known is not None:
            return _follow(connection, known, profile), False
        holder = _of_address(connection, profile)
        if holder is None:
            created = _create(connection, profile)
            if created is not None:
                return created, True
        elif not (holder.email_verified and profile.email_verified):
            break
        elif _link(connection, holder, profile):
            return _follow(connection, holder, profile), False
        # Another sign-in has made the user or the account since: it is there to be found now.
    raise AccountNotLinkedError


def _of_account(connection: Connection, profile: Profile) -> User | None:
    key = {"provider_id": profile.provider_id, "account_id": profile.account_id}
    row = connection.execute(_BY_ACCOUNT, key).first()
    return None if row is None else User(*row)


def _of_address(connection: Connection, profile: Profile) -> User | None:
    row = connection.execute(_HOLDER, {"address": profile.email.lower()}).first()
    return None if row is None else User(*row)


def _create(connection: Connection, profile: Profile) -> User | None:
    """Return a new user with the profile's account; None when there is one already."""
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
    if not insert_or_ignore(connection, user, _row(created)):
        return None
    if _link(connection, created, profile):
        return created
    connection.execute(delete(user).where(user.c.id == created.id))
    return None


def _link(connection: Connection, owner: User, profile: Profile) -> bool:
    """Make the account the user's; False when it is somebody's already."""
    now = clock.now()
    row = {
        "id": random_id(),
        "account_id": profile.account_id,
        "provider_id": profile.provider_id,
        "user_id": owner.id,
        "scope": profile.scope,
        "created_at": now,
        "updated_at": now,
    }
    return insert_or_ignore(connection, account, row)


def _follow(connection: Connection, known: User, profile: Profile) -> User:
    """Take over what changed at the provider.

    Not an address that another user holds, since two people would become one; nor an unverified
    one in place of a verified one.
    """
    current = _followed(known, profile)
    if current.email != known.email and not _moves(connection, current):
        _log.warning(
            "user %s keeps the address: the new one at %s is another user's",
            known.id,
            profile.provider_id,
        )
        current = replace(current, email=known.email, email_verified=known.email_verified)
    if current == known:
        return known
    changed = _row(current) | {"updated_at": clock.now()}
    connection.execute(update(user).where(user.c.id == known.id).values(changed))
    return User(**changed)


def _followed(known: User, profile: Profile) -> User:
    current = replace(known, name=profile.name, image=profile.image)
    address, verified = profile.email.lower(), profile.email_verified
    if address == known.email:
        return replace(current, email_verified=known.email_verified or verified)
    if verified or not known.email_verified:
        return replace(current, email=address, email_verified=verified)
    return current


def _moves(connection: Connection, current: User) -> bool:
    """Give a user the new address; False when another user holds it."""
    if connection.execute(_BY_ADDRESS, {"address": current.email}).first() is not None:
        return False
    change = update(user).where(user.c.id == current.id).values(email=current.email)
    try:
        # Another sign-in may take the address at this very moment.
        with connection.begin_nested():
            connection.execute(change)
    except IntegrityError:
        return False
    return True


def _row(value: User) -> dict[str, Any]:
    return {name: getattr(value, name) for name in User.__slots__}
