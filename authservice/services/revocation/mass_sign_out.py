"""Signing all people out at once: after a backup was restored, or the database was stolen.

A backup brings back what was valid when it was made. Sessions that ended since, tokens that were
revoked and codes that were used would be valid again, and a thief could use them. Users, consents,
clients and signing keys do not change.
"""

from sqlalchemy import Connection, delete, select, update

from authservice import clock
from authservice.database.database import lock_tables
from authservice.models import (
    oauth_access_token,
    oauth_refresh_token,
    session,
    session_participant,
    verification,
)
from authservice.services.sessions import logout_notices
from authservice.services.tokens import grants

_NOTICES_AT_ONCE = 500


def sign_out_everyone(connection: Connection) -> dict[str, int]:
    """End every session, revoke every token and code, and return how many of each there were.

    Clients with a back-channel address are notified. A JWT that was issued before stays valid
    until it expires, since applications verify it without asking us.
    """
    # In the order in which requests write to them.
    lock_tables(connection, verification, oauth_refresh_token, oauth_access_token, session)
    _tell_clients(connection)
    spent = verification.c.updated_at
    revoked = oauth_refresh_token.c.revoked
    counts = {
        "access_tokens": delete(oauth_access_token),
        "refresh_tokens": update(oauth_refresh_token)
        .where(revoked.is_(None), ~grants.HAS_NO_REFRESH_TOKEN)
        .values(revoked=clock.now(), recent=None),
        "sessions": delete(session),
        # Spent codes stay: they distinguish a replay from an invented code.
        "verifications": delete(verification).where(spent.is_(None)),
    }
    counted = {name: connection.execute(change).rowcount for name, change in counts.items()}
    connection.execute(delete(oauth_refresh_token).where(grants.HAS_NO_REFRESH_TOKEN))
    return counted


def _tell_clients(connection: Connection) -> None:
    with_participants = select(session_participant.c.session_id).distinct()
    ids = connection.scalars(with_participants).all()
    for begin in range(0, len(ids), _NOTICES_AT_ONCE):
        logout_notices.put_for_sessions(connection, ids[begin : begin + _NOTICES_AT_ONCE])
