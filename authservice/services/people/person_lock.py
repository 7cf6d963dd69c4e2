"""Row locks on a person: transactions that issue and transactions that revoke exclude each other.

On PostgreSQL transactions run side by side. One that revokes tokens, ends sessions or deletes a
consent does not see what another is about to commit: that would outlive it. So a transaction that
revokes takes an exclusive lock on the person, and waits until every transaction that issues has
committed. A transaction that issues takes a shared lock, and waits until every one that revokes has
committed. Each takes its lock before it reads anything of the person, so that there is no deadlock.

The lock is on the user's row: every row that refers to it takes a shared lock itself, only later.
"""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, bindparam, select

from authservice.database.database import runs_alone
from authservice.database.prepared import Prepared
from authservice.models import oauth_client, user

_SHARE = Prepared(
    select(oauth_client.c.allow)
    .join(user, user.c.id == bindparam("of_user"))
    .where(oauth_client.c.client_id == bindparam("of_client"))
    .with_for_update(read=True, key_share=True)
)


def share(connection: Connection, user_id: str, client_id: str) -> Sequence[str] | None:
    """Let nothing of the person's, nor the client, be taken back before the transaction ends.

    Return whom the client is for, which nobody changes meanwhile; None where it has no such list.
    """
    row = _SHARE.first(connection, {"of_user": user_id, "of_client": client_id})
    return None if row is None else row[0]


def share_if_exists(connection: Connection, user_id: str, client_id: str) -> bool:
    """As ``share``; tell whether both person and client are still there."""
    return _SHARE.first(connection, {"of_user": user_id, "of_client": client_id}) is not None


def claim(connection: Connection, which: ColumnElement[bool]) -> None:
    """Lock these users exclusively: nothing is issued to them until the transaction ends."""
    if not runs_alone(connection):
        # In the same order everywhere, so that two transactions do not deadlock.
        people = select(user.c.id).where(which).order_by(user.c.id)
        connection.execute(people.with_for_update())
