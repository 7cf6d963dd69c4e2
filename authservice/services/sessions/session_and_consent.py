"""What a code depends on: an active session, its user's consent and admission."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, select

from authservice import clock
from authservice.database.prepared import Prepared, PreparedRows
from authservice.models import oauth_consent, session, user
from authservice.services.admission.confirmation import ADMITTED, ALWAYS
from authservice.services.people import consents
from authservice.services.people.consents import Allowed
from authservice.services.sessions import sessions
from authservice.services.sessions.sessions import CentralSession


class SessionAndConsent(NamedTuple):
    """Whether the session is active and its user admitted, and what the user allows the client."""

    session_is_active: bool
    consent: Allowed | None
    is_admitted: bool


_ITS_CONSENT = consents.is_of(session.c.user_id, bindparam("of_client"))
_THIS = session.c.id == bindparam("with_id")
_FIND = Prepared(
    select(
        session.c.expires_at,
        *consents.ALLOWED,
        ADMITTED.label("is_admitted"),
    )
    .select_from(session)
    .join(user, user.c.id == session.c.user_id)
    .join(oauth_consent, _ITS_CONSENT, isouter=True)
    .where(_THIS)
)


@dataclass(frozen=True, slots=True)
class _Read:
    scopes: tuple[str, ...] | None
    resources: tuple[str, ...] | None
    session: CentralSession


_READ = PreparedRows(
    sessions.select_with_user(*consents.ALLOWED)
    .join(oauth_consent, _ITS_CONSENT, isouter=True)
    .where(_THIS),
    _Read,
)


def find(
    connection: Connection, session_id: str, client_id: str, *, confirmed_after: datetime = ALWAYS
) -> SessionAndConsent:
    """Return what tokens for a session depend on, as all of it is at this moment.

    The user is admitted who was confirmed at that moment or later, or whose rule needs no recheck.
    """
    parameters = {
        "with_id": session_id,
        "of_client": client_id,
        "confirmed_after": confirmed_after,
    }
    row = _FIND.first(connection, parameters)
    if row is None:
        return SessionAndConsent(False, None, False)  # noqa: FBT003  (nothing is there)
    expires_at, scopes, resources, is_admitted = row
    consent = Allowed.of(scopes, resources)
    return SessionAndConsent(expires_at > clock.now(), consent, is_admitted)


def read(
    connection: Connection, session_id: str, client_id: str
) -> tuple[CentralSession | None, Allowed | None]:
    """Return a session if it is alive, and what its user allows a client."""
    found = _READ.first(connection, {"with_id": session_id, "of_client": client_id})
    if found is None:
        return None, None
    return sessions.alive(found.session), Allowed.of(found.scopes, found.resources)
