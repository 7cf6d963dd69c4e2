"""A change of the identity provider: its accounts are forgotten, and what came of them ends."""

from sqlalchemy import Connection, delete, exists, select, update

from authservice import clock
from authservice.database.transaction import Transaction
from authservice.events import ProviderRebound
from authservice.models import (
    account,
    oauth_refresh_token,
    pinned_name,
    removed_account,
    session,
    user,
)
from authservice.services.people import email_addresses, person_lock, provider_pin
from authservice.services.people.provider_pin import ProviderPin
from authservice.services.sessions import sessions
from authservice.services.tokens import grants


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
    if not provider_pin.replace(connection, former, wanted):
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
    theirs = select(user.c.id).where(left)
    ended = sessions.end_where(transaction, session.c.user_id.in_(theirs))
    refresh_tokens = grants.revoke(connection, oauth_refresh_token.c.user_id.in_(theirs))
    transaction.note(ProviderRebound(provider=wanted.provider_id, accounts=accounts))
    return {
        "accounts": accounts,
        "users": len(people),
        "sessions": ended,
        "refresh_tokens": refresh_tokens,
    }


def _part_from_address(connection: Connection, user_id: str) -> None:
    values = {
        "email": email_addresses.stand_in_without_account(user_id),
        "email_verified": False,
        "updated_at": clock.now(),
    }
    connection.execute(update(user).where(user.c.id == user_id).values(values))
