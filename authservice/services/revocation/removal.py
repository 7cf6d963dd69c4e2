"""Taking an admission back: everything that the person holds ends in one transaction.

The account is written down with the moment. No confirmation that began before it counts, also not
that of a sign-in which is under way and creates the user only now.
"""

from datetime import datetime

from sqlalchemy import Connection, delete, or_, select, update

from authservice import clock
from authservice.database.database import insert_or_ignore
from authservice.database.transaction import Transaction
from authservice.events import AdmissionEnded
from authservice.models import account, removed_account, session, user, verification
from authservice.services.admission import account_lock
from authservice.services.people import person_lock
from authservice.services.sessions import sessions
from authservice.services.tokens import authorization_codes, refresh_tokens


def remove(transaction: Transaction, account_id: str, at: datetime, *, provider_id: str) -> bool:
    """End what the person of an account holds; tell whether there is such a person.

    ``at`` is when it was known that the rules do not admit the account. A person whose confirmation
    began later stays admitted. The transaction has locked no person yet.
    """
    connection = transaction.connection
    account_lock.claim(connection, account_id)
    _write_down(connection, account_id, at)
    owner = select(account.c.user_id).where(
        account.c.provider_id == provider_id, account.c.account_id == account_id
    )
    person_lock.claim(connection, user.c.id.in_(owner))
    still = or_(user.c.admitted_at.is_(None), user.c.admitted_at <= at)
    ending = update(user).where(user.c.id.in_(owner), still).values(admitted_at=None)
    removed = connection.scalars(ending.returning(user.c.id)).all()
    for user_id in removed:
        ended = _end(transaction, user_id)
        transaction.note(AdmissionEnded(sub=user_id, sessions=ended))
    return bool(removed)


def _write_down(connection: Connection, account_id: str, at: datetime) -> None:
    row = {"id": account_id, "removed_at": at}
    if not insert_or_ignore(connection, removed_account, row):
        earlier = removed_account.c.id == account_id, removed_account.c.removed_at < at
        connection.execute(update(removed_account).where(*earlier).values(removed_at=at))


def _end(transaction: Transaction, user_id: str) -> int:
    """End sessions, tokens and codes of a locked person; return how many sessions ended."""
    connection = transaction.connection
    ended = sessions.end_where(transaction, session.c.user_id == user_id)
    refresh_tokens.revoke_of_user(connection, user_id)
    _delete_codes(connection, user_id)
    return ended


def _delete_codes(connection: Connection, user_id: str) -> None:
    """Delete a person's codes; spent ones stay, to recognise a second use by.

    One that is being redeemed is left to that transaction, which waits for the person and then
    finds them no longer admitted. To wait for it here would be a deadlock.
    """
    codes = (
        select(verification.c.id)
        .where(
            verification.c.updated_at.is_(None),
            verification.c.expires_at > clock.now(),
            authorization_codes.of_user(user_id),
        )
        .with_for_update(skip_locked=True)
    )
    ids = connection.scalars(codes).all()
    connection.execute(delete(verification).where(verification.c.id.in_(ids)))
