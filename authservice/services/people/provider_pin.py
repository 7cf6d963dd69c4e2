"""Which identity provider the accounts are of: pinned by the first start, and changed on purpose.

A number identifies an account at one provider only. At another provider it is another person's, who
would be signed in as our user.
"""

from dataclasses import dataclass
from typing import Any, Self

from sqlalchemy import Connection, delete, exists, select, update

from authservice import clock
from authservice.database.database import insert_or_ignore
from authservice.database.prepared import Prepared
from authservice.database.transaction import Transaction
from authservice.events import ProviderRebound
from authservice.models import (
    account,
    oauth_refresh_token,
    pinned_name,
    pinned_provider,
    removed_account,
    session,
    user,
)
from authservice.services.people import email_addresses, person_lock
from authservice.services.sessions import sessions
from authservice.services.tokens import grants
from authservice.settings.hosts import origin_of

# The table has one row, so one insertion decides between those who start at the same moment.
_ONLY = "provider"
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class ProviderPin:
    """A provider, by its id in the settings and the origin that says who has signed in."""

    provider_id: str
    origin: str

    @classmethod
    def of(cls, provider_id: str, api_url: str) -> Self:
        """Return that of a provider's id and the address of its API."""
        return cls(provider_id, origin_of(api_url) or api_url)

    def __str__(self) -> str:
        """Return both as messages show them."""
        return f"{self.provider_id} at {self.origin}"


_SELECT = select(pinned_provider.c.provider_id, pinned_provider.c.origin)
# Who signs in has it until the account is stored, so that a change comes before or after.
_SHARED = Prepared(_SELECT.with_for_update(read=True))


def pinned(connection: Connection) -> ProviderPin | None:
    """Return the pinned provider."""
    row = connection.execute(_SELECT).first()
    return None if row is None else ProviderPin(*row)


def pin(connection: Connection, wanted: ProviderPin) -> ProviderPin:
    """Pin a provider unless one is pinned; return the one that is until the transaction ends."""
    row = _SHARED.first(connection, {})
    if row is None:
        insert_or_ignore(connection, pinned_provider, _row(wanted))
        row = _SHARED.first(connection, {})
    return wanted if row is None else ProviderPin(*row)


def rebind(
    transaction: Transaction, former: ProviderPin, wanted: ProviderPin
) -> dict[str, int] | None:
    """Pin another provider and forget the accounts; return how many of what that were.

    Accounts under the new id are deleted too, since their provider is not known. The people are
    left without an account, so new users may have their addresses, and their sessions and refresh
    tokens end. Names in rules have other numbers at the new provider, which are pinned later. None
    when another provider is pinned than the former one.
    """
    connection = transaction.connection
    still = (
        pinned_provider.c.provider_id == former.provider_id,
        pinned_provider.c.origin == former.origin,
    )
    if not connection.execute(update(pinned_provider).where(*still).values(_row(wanted))).rowcount:
        return None
    for table in (pinned_name, removed_account):
        connection.execute(delete(table))
    ids = {former.provider_id, wanted.provider_id}
    accounts = connection.execute(delete(account).where(account.c.provider_id.in_(ids))).rowcount
    left = ~exists().where(account.c.user_id == user.c.id)
    person_lock.claim(connection, left)
    people = connection.scalars(select(user.c.id).where(left)).all()
    for user_id in people:
        _part_from_address(connection, user_id)
    of_them = select(session.c.id).join(user, user.c.id == session.c.user_id).where(left)
    ending = connection.scalars(of_them).all()
    for begin in range(0, len(ending), _AT_ONCE):
        sessions.end(transaction, ending[begin : begin + _AT_ONCE])
    of_theirs = oauth_refresh_token.c.user_id.in_(select(user.c.id).where(left))
    refresh_tokens = grants.revoke(connection, of_theirs)
    transaction.note(ProviderRebound(provider=wanted.provider_id, accounts=accounts))
    return {
        "accounts": accounts,
        "users": len(people),
        "sessions": len(ending),
        "refresh_tokens": refresh_tokens,
    }


def _part_from_address(connection: Connection, user_id: str) -> None:
    values = {
        "email": email_addresses.stand_in_without_account(user_id),
        "email_verified": False,
        "updated_at": clock.now(),
    }
    connection.execute(update(user).where(user.c.id == user_id).values(values))


def _row(wanted: ProviderPin) -> dict[str, Any]:
    return {
        "id": _ONLY,
        "provider_id": wanted.provider_id,
        "origin": wanted.origin,
        "created_at": clock.now(),
    }
