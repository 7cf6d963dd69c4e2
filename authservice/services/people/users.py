"""People: the user behind an account at the identity provider, read or created.

One account is one user, identified by its id alone. Addresses change hands: today's owner of an
address may not be yesterday's, so an address never identifies a user.
"""

import logging
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, delete, or_, select, update
from sqlalchemy.exc import IntegrityError

from authservice import clock
from authservice.crypto.secret_values import random_id
from authservice.database.database import insert_or_ignore
from authservice.database.prepared import Prepared, PreparedRows
from authservice.models import account, user
from authservice.services.people import email_addresses, person_lock
from authservice.services.people.memberships import Memberships
from authservice.settings import AuthSettings
from authservice.settings.admission.rules import folded

_log = logging.getLogger(__name__)

# With it an identity provider shows the addresses of an account.
EMAIL_SCOPE = "user:email"

LONGEST_NAME = 200
# RFC 5321, section 4.5.3.1.3: the path of 256 octets, without its angle brackets.
LONGEST_ADDRESS = 254
"""The longest name and address that applications meet, of whichever provider."""


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
    username: str | None = None
    """The login at the provider."""
    groups: tuple[str, ...] | None = None
    """The organizations and teams, of those that settings name; None where they were not read."""
    admitted_at: datetime | None = None
    """When the provider confirmed what admits the person; None where nothing does yet."""
    admitted_by: str | None = None
    """The rule that admits the person, as the settings write it."""

    @property
    def verified_email(self) -> str | None:
        """Return the address if the provider calls it verified; any other stays hidden."""
        return self.email if self.email_verified else None

    def trusted_email(self, settings: AuthSettings) -> str | None:
        """Return the verified address if the settings trust the provider in this, else None."""
        return self.verified_email if settings.provider.trust_emails else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What an identity provider says of a person; ``user_id`` only where it decides the id.

    ``scope`` is what it let us read, and None where that is not known. Without ``EMAIL_SCOPE`` in
    it the person did not allow us to read the address. With ``addresses_unread`` the provider did
    not answer the request for it. ``email`` is a verified address, ``primary_email`` the primary
    one if that is verified. ``username`` is the login. ``memberships`` are None if not read.
    """

    provider_id: str
    account_id: str
    name: str
    email: str | None
    email_verified: bool
    image: str | None
    scope: str | None = None
    addresses_unread: bool = False
    user_id: str | None = None
    username: str | None = None
    primary_email: str | None = None
    memberships: Memberships | None = None


class AddressesUnreadError(Exception):
    """A new account whose addresses could not be read: it is not known whether it has one."""


class AccountNotLinkedError(Exception):
    """The address of a new account is that of another user, ``holder_id``."""

    def __init__(self, holder_id: str | None) -> None:
        super().__init__("the address is another user's")
        self.holder_id = holder_id


# How often a sign-in is tried again because another one came first.
_ATTEMPTS = 3

_BY_ID = PreparedRows(select(user).where(user.c.id == bindparam("user_id")), User)
# The user is locked: the statements that follow change them according to what this one reads.
_BY_ACCOUNT = Prepared(
    select(
        *user.c,
        account.c.scope.label("account_scope"),
        account.c.memberships,
        account.c.primary_email,
    )
    .join(account, account.c.user_id == user.c.id)
    .where(
        account.c.provider_id == bindparam("provider_id"),
        account.c.account_id == bindparam("account_id"),
    )
    .with_for_update(key_share=True, of=user)
)
_SCOPES = select(account.c.scope).where(account.c.user_id == bindparam("user_id"))
_HOLDER = select(user.c.id).where(user.c.email == bindparam("address"))


def find(connection: Connection, user_id: str) -> User | None:
    """Return a user by id."""
    return _BY_ID.first(connection, {"user_id": user_id})


def shows_addresses(connection: Connection, user_id: str) -> bool | None:
    """Tell whether the provider showed a user's addresses at the last sign-in; None if unknown."""
    scopes = connection.scalars(_SCOPES, {"user_id": user_id}).all()
    known = [scope.split() for scope in scopes if scope is not None]
    return any(EMAIL_SCOPE in scope for scope in known) if known else None


def from_profile(connection: Connection, profile: Profile) -> tuple[User, bool]:
    """Return the user behind a profile, and whether this sign-in created them.

    The account is the user, whatever its address. Raises AccountNotLinkedError for a new account
    whose address is another user's, and AddressesUnreadError for one whose addresses were not read.
    """
    if not profile.account_id:
        message = "a profile without an account id identifies nobody"
        raise ValueError(message)
    for _ in range(_ATTEMPTS):
        known = _of_account(connection, profile)
        if known is not None:
            return _follow(connection, *known, profile), False
        if profile.addresses_unread:
            raise AddressesUnreadError
        created = _create(connection, profile)
        if created is not None:
            return created, True
        # If another sign-in has created the user since, the next attempt reads them.
    raise AccountNotLinkedError(_holder(connection, _address(profile)[0]))


def admitted_by(connection: Connection, profile: Profile) -> str | None:
    """Return what admitted the user behind a profile the last time; None where nothing did."""
    of_account = (
        select(user.c.admitted_by)
        .join(account, account.c.user_id == user.c.id)
        .where(*(account.c[name] == value for name, value in _account_key(profile).items()))
    )
    rule: str | None = connection.scalar(of_account)
    return rule


def claim_with(connection: Connection, profile: Profile, user_id: str) -> None:
    """Lock a user together with the one behind a profile, before either is read.

    A sign-in that ends the session of another person needs both. Two browsers that change persons
    with each other would otherwise wait for one another.
    """
    of_account = select(account.c.user_id).where(
        account.c.provider_id == profile.provider_id, account.c.account_id == profile.account_id
    )
    person_lock.claim(connection, or_(user.c.id == user_id, user.c.id.in_(of_account)))


def _of_account(connection: Connection, profile: Profile) -> tuple[User, dict[str, Any]] | None:
    """Return the user of a profile's account, and what is stored with the account."""
    row = _BY_ACCOUNT.first(connection, _account_key(profile))
    if row is None:
        return None
    *of_user, scope, memberships, primary_email = row
    facts = {"scope": scope, "memberships": memberships, "primary_email": primary_email}
    return User(*of_user), facts


def _account_facts(profile: Profile) -> dict[str, Any]:
    """Return what is stored with the account of a profile."""
    numbers = None if profile.memberships is None else profile.memberships.numbers
    return {
        "scope": profile.scope,
        "memberships": numbers or None,
        "primary_email": profile.primary_email,
    }


def _account_key(profile: Profile) -> dict[str, str]:
    return {"provider_id": profile.provider_id, "account_id": profile.account_id}


def _holder(connection: Connection, address: str) -> str | None:
    holder_id: str | None = connection.scalar(_HOLDER, {"address": address})
    return holder_id


def _address(profile: Profile) -> tuple[str, bool]:
    """Return the address to store for a profile, and whether it is verified."""
    address = profile.email
    if address and profile.email_verified and not email_addresses.is_stand_in(address):
        return folded(address), True
    return email_addresses.stand_in(profile.provider_id, profile.account_id), False


def _create(connection: Connection, profile: Profile) -> User | None:
    """Return a new user with the profile's account; None when address or account is taken."""
    now = clock.now()
    user_id = profile.user_id or random_id()
    address, verified = _address(profile)
    created = User(
        id=user_id,
        name=profile.name,
        email=address,
        email_verified=verified,
        image=profile.image,
        created_at=now,
        updated_at=now,
        username=profile.username,
        groups=_groups(profile),
    )
    if not insert_or_ignore(connection, user, _row(created)):
        return None
    row = {
        "id": random_id(),
        "account_id": profile.account_id,
        "provider_id": profile.provider_id,
        "user_id": created.id,
        "created_at": now,
        "updated_at": now,
        **_account_facts(profile),
    }
    if insert_or_ignore(connection, account, row):
        return created
    connection.execute(delete(user).where(user.c.id == created.id))
    return None


def _follow(connection: Connection, known: User, stored: dict[str, Any], profile: Profile) -> User:
    """Take over what changed at the provider.

    Not an address that another user has, since no two users have the same. An address that the
    person has removed, or no longer allows us to read, is deleted. An address that could not be
    read this time does not change, and no groups that were not read.
    """
    if profile.memberships is not None and profile.memberships.unasked:
        memberships = profile.memberships.with_unasked_of(stored["memberships"])
        profile = replace(profile, memberships=memberships)
    facts = _account_facts(profile)
    if profile.scope is None:
        facts["scope"] = stored["scope"]
    if profile.addresses_unread:
        facts["primary_email"] = stored["primary_email"]
    if facts != stored:
        _store_facts(connection, profile, facts)
    if profile.addresses_unread:
        address, verified = known.email, known.email_verified
    else:
        address, verified = _address(profile)
    current = replace(
        known,
        name=profile.name,
        image=profile.image,
        email=address,
        email_verified=verified,
        username=profile.username or known.username,
        groups=known.groups if profile.memberships is None else _groups(profile),
    )
    if address != known.email and not _moves(connection, known, address):
        _log.warning(
            "user %s is without an address: the one at %s is that of user %s",
            known.id,
            profile.provider_id,
            _holder(connection, address),
        )
        instead = email_addresses.stand_in(profile.provider_id, profile.account_id)
        free = instead == known.email or _moves(connection, known, instead)
        current = replace(current, email=instead if free else known.email, email_verified=False)
    if current == known:
        return known
    current = replace(current, updated_at=clock.now())
    before = _row(known)
    changed = {name: value for name, value in _row(current).items() if value != before[name]}
    connection.execute(update(user).where(user.c.id == known.id).values(changed))
    return current


def _groups(profile: Profile) -> tuple[str, ...] | None:
    """Return the groups to store for a profile; None where they were not read."""
    return None if profile.memberships is None else profile.memberships.names


def _store_facts(connection: Connection, profile: Profile, facts: dict[str, Any]) -> None:
    key = _account_key(profile)
    change = update(account).where(*(account.c[name] == value for name, value in key.items()))
    connection.execute(change.values(**facts, updated_at=clock.now()))


def _moves(connection: Connection, known: User, address: str) -> bool:
    """Give a user another address; False when another user holds it."""
    if _holder(connection, address) is not None:
        return False
    change = update(user).where(user.c.id == known.id).values(email=address)
    try:
        # Another sign-in may take the address at this very moment.
        with connection.begin_nested():
            connection.execute(change)
    except IntegrityError:
        return False
    return True


def _row(value: User) -> dict[str, Any]:
    return {name: getattr(value, name) for name in User.__slots__}
