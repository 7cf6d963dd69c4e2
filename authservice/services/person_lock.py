"""What is issued to a person, and what is taken back from them, in turn.

On PostgreSQL transactions run side by side. One that revokes tokens, ends sessions or deletes a
consent does not see what another is about to commit: that would outlive it. So anyone who takes
something back claims the person, and waits until all that was being issued is committed; anyone who
issues something shares the person, and waits until all that was being taken back is gone. Either
is asked for before anything of the person's is looked at, so that nobody waits crosswise.

The user's row stands for the person: every row that refers to it shares it by itself, only later.
"""

from sqlalchemy import ColumnElement, Connection, bindparam, select

from authservice.db import runs_alone
from authservice.models import oauth_client, user
from authservice.prepared import Prepared

_SHARE = Prepared(
    select(user.c.id)
    .join(oauth_client, oauth_client.c.client_id == bindparam("of_client"))
    .where(user.c.id == bindparam("of_user"))
    .with_for_update(read=True, key_share=True)
)


def share(connection: Connection, user_id: str, client_id: str) -> None:
    """Let nothing of the person's, nor the client, be taken back before the transaction ends."""
    if not runs_alone(connection):
        _SHARE.first(connection, {"of_user": user_id, "of_client": client_id})


def found_and_shared(connection: Connection, user_id: str, client_id: str) -> bool:
    """As ``share``; tell whether both person and client are still there."""
    return _SHARE.first(connection, {"of_user": user_id, "of_client": client_id}) is not None


def claim(connection: Connection, which: ColumnElement[bool]) -> None:
    """Let nothing be issued to these users before the transaction ends; waits for what is."""
    if not runs_alone(connection):
        # In one order for all, so that two of these do not wait for one another.
        people = select(user.c.id).where(which).order_by(user.c.id)
        connection.execute(people.with_for_update())
