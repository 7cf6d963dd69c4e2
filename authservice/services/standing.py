"""What an authorization code stands on: a live session, and the consent of its user."""

from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import Connection, and_, bindparam, select

from authservice import clock
from authservice.db import past_index
from authservice.models import oauth_consent, session
from authservice.prepared import Prepared


class Standing(NamedTuple):
    """Whether the session lives, and what its user has allowed a client; None without consent."""

    session_is_alive: bool
    consented: tuple[str, ...] | None

    def covers(self, scopes: Iterable[str]) -> bool:
        """Tell whether every one of these scopes has been allowed."""
        return self.consented is not None and set(scopes) <= set(self.consented)


_FIND = Prepared(
    select(session.c.expires_at, oauth_consent.c.scopes)
    .join(
        oauth_consent,
        and_(
            oauth_consent.c.user_id == session.c.user_id,
            past_index(oauth_consent.c.client_id) == bindparam("of_client"),
            oauth_consent.c.reference_id.is_(None),
        ),
        isouter=True,
    )
    .where(session.c.id == bindparam("asked_session_id"))
)


def find(connection: Connection, session_id: str, client_id: str) -> Standing:
    """Return how a client stands with a session and its user by now."""
    row = _FIND.first(connection, {"asked_session_id": session_id, "of_client": client_id})
    if row is None:
        return Standing(session_is_alive=False, consented=None)
    expires_at, consented = row
    return Standing(expires_at > clock.now(), consented)
