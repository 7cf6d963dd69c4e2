"""RP-initiated logout: what a request to end the session amounts to (OIDC RP-Initiated Logout 1.0).

oauthlib has no part in it. The decision is pure; ending the session is the caller's.
"""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from sqlalchemy import Connection

from authservice.oauth import id_token
from authservice.oauth.parameters import Parameters
from authservice.services.clients import clients
from authservice.services.clients.clients import Client
from authservice.services.keys.signing_keys import SigningKeys
from authservice.services.sessions import sessions
from authservice.services.sessions.sessions import CentralSession
from authservice.settings import AuthSettings


class EndSessionError(Exception):
    """A request that names two clients, or an address that is not the client's."""

    def __init__(self, description: str) -> None:
        super().__init__(description)
        self.description = description


@dataclass(frozen=True, slots=True)
class EndSessionRequest:
    """A checked request: its client, where to go afterwards, and whether the person confirms."""

    client: Client | None
    return_to: str | None
    confirmation_needed: bool
    # The client may sign nobody out, and wants people back at an address that it has not.
    leads_astray: bool = False

    @property
    def client_name(self) -> str | None:
        """Return how the client is called."""
        return None if self.client is None else self.client.name or self.client.client_id


def validate(
    sent: Parameters,
    session: CentralSession | None,
    connection: Connection,
    settings: AuthSettings,
    keys: SigningKeys,
    *,
    in_own_tab: bool,
) -> EndSessionRequest:
    """Return what a request amounts to for the session of this browser; raises EndSessionError.

    ``in_own_tab`` tells that the browser would have sent the cookies of a session.
    """
    if sent.repeated:
        raise EndSessionError(f"Given more than once: {', '.join(sorted(sent.repeated))}.")
    hint_text = sent.get("id_token_hint")
    hint = None if hint_text is None else id_token.verified_hint(hint_text, settings, keys)
    client = _client(sent, hint, connection)
    if client is not None and not client.enable_end_session and not _is_registered(sent, client):
        return EndSessionRequest(client, None, confirmation_needed=True, leads_astray=True)
    return_to = _return_to(sent, client)
    nobody_here = session is None and in_own_tab
    needless = nobody_here and return_to and client is not None and client.enable_end_session
    return EndSessionRequest(
        client=client,
        return_to=return_to,
        confirmation_needed=not (needless or _may_end(hint, client, session, connection)),
    )


def _client(sent: Parameters, hint: dict[str, Any] | None, connection: Connection) -> Client | None:
    named, hinted = sent.get("client_id"), None if hint is None else hint.get("aud")
    if named is not None and hinted is not None and named != hinted:
        raise EndSessionError("client_id differs from the client that id_token_hint was issued to.")
    client_id = named or hinted
    client = clients.find_for_people(connection, client_id) if isinstance(client_id, str) else None
    if named is not None and client is None:
        raise EndSessionError("client_id names no client known here.")
    return client


def _is_registered(sent: Parameters, client: Client) -> bool:
    uri = sent.get("post_logout_redirect_uri")
    return uri is None or client.allows_post_logout_redirect_to(uri)


def _return_to(sent: Parameters, client: Client | None) -> str | None:
    uri = sent.get("post_logout_redirect_uri")
    if uri is None or client is None:
        # Without a client no address can be registered.
        return None
    if not _is_registered(sent, client):
        raise EndSessionError(
            "post_logout_redirect_uri is not one of those registered for this client; it must be"
            " the same, character by character."
        )
    state = sent.get("state")
    if state is None:
        return uri
    return f"{uri}{'&' if '?' in uri else '?'}{urlencode({'state': state})}"


def _may_end(
    hint: dict[str, Any] | None,
    client: Client | None,
    session: CentralSession | None,
    connection: Connection,
) -> bool:
    """Tell whether the hint proves that the client speaks for the session of this browser."""
    if hint is None or client is None or not client.enable_end_session:
        return False
    session_id = hint.get("sid")
    if session is not None and session_id == session.id:
        return True
    # The hint's session is gone, and if there is another it is the same person's.
    gone = not session_id or sessions.find_by_id(connection, session_id) is None
    return gone and (session is None or hint["sub"] == session.user.id)
