"""Signing everybody out at once: after a backup was restored, or the database was stolen.

A backup brings back what was valid when it was made. Sessions that were ended since, tokens that
were revoked and codes that were spent would count again, and who took one from somebody could use
it. Users, consents, clients and signing keys stay as they are.
"""

from sqlalchemy import Connection, delete, select, update

from authservice import clock
from authservice.db import hold_tables
from authservice.models import (
    oauth_access_token,
    oauth_refresh_token,
    session,
    session_participant,
    verification,
)
from authservice.services import logout_notices

_NOTICES_AT_ONCE = 500


def sign_out_everyone(connection: Connection) -> dict[str, int]:
    """End every session, revoke every token and code, and return how many of each there were.

    Clients that want to know of a session's end are told. A JWT that was issued before stays
    valid until it expires, since nobody asks us about it.
    """
    # In the order in which requests write to them.
    hold_tables(connection, verification, oauth_refresh_token, oauth_access_token, session)
    _tell_clients(connection)
    spent = verification.c.updated_at
    revoked = oauth_refresh_token.c.revoked
    counts = {
        "access_tokens": delete(oauth_access_token),
        "refresh_tokens": update(oauth_refresh_token)
        .where(revoked.is_(None))
        .values(revoked=clock.now(), successor=None),
        "sessions": delete(session),
        # What was spent stays: it tells a repetition from an invention.
        "verifications": delete(verification).where(spent.is_(None)),
    }
    return {name: connection.execute(change).rowcount for name, change in counts.items()}


def _tell_clients(connection: Connection) -> None:
    with_participants = select(session_participant.c.session_id).distinct()
    ids = connection.scalars(with_participants).all()
    for begin in range(0, len(ids), _NOTICES_AT_ONCE):
        logout_notices.put_for_sessions(connection, ids[begin : begin + _NOTICES_AT_ONCE])
