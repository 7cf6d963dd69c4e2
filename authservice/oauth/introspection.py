"""What a client may learn of a token (RFC 7662): of its own, and of those for its resources."""

from typing import Any

from sqlalchemy import Connection

from authservice.services import access_tokens, refresh_tokens
from authservice.services.access_tokens import AccessToken
from authservice.services.clients import Client
from authservice.services.refresh_tokens import RefreshToken, State
from authservice.settings import AuthSettings


def describe(
    connection: Connection, token: str, asking: Client, settings: AuthSettings
) -> dict[str, Any] | None:
    """Return a token's members, or None when it is not active for this client."""
    access_token = access_tokens.find(connection, token)
    if access_token is not None:
        return (
            _access_token(access_token, settings)
            if _may_ask(asking, access_token, settings)
            else None
        )
    refresh_token = refresh_tokens.find(connection, token)
    if refresh_token is None or refresh_token.client_id != asking.client_id:
        return None
    # The grace is for the client that retries; to everybody else a rotated token is spent.
    usable = refresh_tokens.state_of(refresh_token, settings.lifetimes.refresh_grace)
    if usable is not State.USABLE or refresh_token.rotated_at is not None:
        return None
    return _refresh_token(refresh_token, settings)


def _may_ask(asking: Client, token: AccessToken, settings: AuthSettings) -> bool:
    if token.client_id == asking.client_id:
        return True
    return any(
        asking.client_id in settings.resources.get(resource, ())
        for resource in token.resources or ()
    )


def _access_token(token: AccessToken, settings: AuthSettings) -> dict[str, Any]:
    content: dict[str, Any] = {
        "iss": settings.issuer,
        "client_id": token.client_id,
        "sub": token.user.id,
        "scope": " ".join(token.scopes),
        "token_type": "Bearer",
        "iat": int(token.created_at.timestamp()),
        "exp": int(token.expires_at.timestamp()),
    }
    if token.resources:
        content["aud"] = token.resources[0] if len(token.resources) == 1 else token.resources
    if token.session_id is not None:
        content["sid"] = token.session_id
    return content


def _refresh_token(token: RefreshToken, settings: AuthSettings) -> dict[str, Any]:
    return {
        "iss": settings.issuer,
        "client_id": token.client_id,
        "sub": token.user_id,
        "scope": " ".join(token.scopes),
        "iat": int(token.created_at.timestamp()),
        "exp": int(token.expires_at.timestamp()),
    }
