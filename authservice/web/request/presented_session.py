"""Which session a request presents, among those that its cookies name.

A sibling application may set session cookies too, of sessions of its own and as many as a browser
keeps. The one that was begun in this browser is told by its companion, which only this host sets.
"""

from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import Connection

from authservice.database.database import Database
from authservice.services.sessions import sessions
from authservice.services.sessions.sessions import CentralSession
from authservice.web.request.cookies import Cookies

# Expired ones are skipped, but only so many.
_MOST_LOOKED_AT = 5


@dataclass(frozen=True, slots=True)
class PresentedSession:
    """The live session that a request presents, and its token."""

    session: CentralSession
    token: str


def find(
    cookies: Cookies, header: str, database: Database, longest: timedelta
) -> PresentedSession | None:
    """Return the session that a Cookie header names: the one begun in this browser, else the first.

    However many cookies came, they take one statement together, and one more for the session.
    ``longest`` is how long a session may live after the sign-in.
    """
    tokens = list(cookies.session_tokens(header))
    if not tokens:
        # Most requests present none, and are answered while the database cannot be reached.
        return None
    connection = database.reader
    if len(tokens) > 1:
        tokens = _begun_here_first(cookies, header, connection, tokens)
    for token in tokens:
        session = sessions.find(connection, token)
        if session is not None and not sessions.is_too_old(session, longest):
            return PresentedSession(session, token)
    return None


def _begun_here_first(
    cookies: Cookies, header: str, connection: Connection, tokens: list[str]
) -> list[str]:
    ids = sessions.ids_of_tokens(connection, tokens, alive=True)
    alive = [token for token in tokens if token in ids]
    alive.sort(key=lambda token: not cookies.has_companion_of(header, ids[token], token))
    return alive[:_MOST_LOOKED_AT]
