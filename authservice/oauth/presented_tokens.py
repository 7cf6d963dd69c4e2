"""Tokens that a client presents: what each stands for (RFC 7662), and taking it back (RFC 7009).

A refresh token is taken back with its family, an access token by itself.
"""

from typing import Any

from authservice.database.transaction import Transaction
from authservice.events import TokenRevoked
from authservice.oauth.oauth_request import OAuthRequest
from authservice.services.admission import client_rules, confirmation
from authservice.services.clients.clients import Client
from authservice.services.tokens import access_tokens, refresh_tokens
from authservice.services.tokens.access_tokens import AccessToken
from authservice.services.tokens.refresh_tokens import Family, RefreshToken, State
from authservice.settings import AuthSettings


def describe(request: OAuthRequest, token: str) -> dict[str, Any] | None:
    """Return a token's members, or None when it is not active for the client that asks.

    What is active counts for the client, and what is unknown to it apart from that: junk that
    strangers send to a resource server uses up nothing of honest tokens. What has expired or was
    revoked does not count, nor what has not the form of a token and costs no look-up. Raises what
    holds a request back that comes too often.
    """
    context, asking = request.context, request.client
    if not (access_tokens.has_form(token) or refresh_tokens.has_form(token)):
        return None
    access_token = access_tokens.find(context.reader, token)
    if access_token is not None and _may_ask(asking, access_token, context.settings):
        request.check_rate_limit()
        return _access_token(access_token, context.settings)
    refresh_token = refresh_tokens.find(context.reader, context.secret, token)
    if refresh_token is not None and refresh_token.family.client_id == asking.client_id:
        members = _members(request, refresh_token)
        if members is not None:
            request.check_rate_limit()
        return members
    # Looked up in any case: what is another client's takes as long as what never was.
    if not access_tokens.is_stored(context.reader, token) or access_token is not None:
        request.check_rate_limit(apart="unknown")
    return None


def _members(request: OAuthRequest, refresh_token: RefreshToken) -> dict[str, Any] | None:
    context, asking = request.context, request.client
    settings = context.settings
    # The grace is for the client that retries; to everybody else a rotated token is spent.
    usable = refresh_tokens.state_of(refresh_token, settings.lifetimes.refresh_grace)
    if usable is not State.USABLE or not refresh_token.is_current:
        return None
    admitted = confirmation.is_admitted(
        refresh_token.family.user, settings.admission, context.reader
    ) and client_rules.allows(context.reader, settings, asking.allow, refresh_token.family.user_id)
    return _refresh_token(refresh_token.family, settings) if admitted else None


def _may_ask(asking: Client, token: AccessToken, settings: AuthSettings) -> bool:
    if token.client_id == asking.client_id:
        return True
    resource = settings.resources.get(token.resource or "")
    return resource is not None and asking.may_introspect(resource)


def _access_token(token: AccessToken, settings: AuthSettings) -> dict[str, Any]:
    content: dict[str, Any] = {
        "iss": settings.issuer,
        "client_id": token.client_id,
        "sub": token.sub,
        "scope": " ".join(token.scopes),
        "token_type": "Bearer",
        "iat": int(token.created_at.timestamp()),
        "exp": int(token.expires_at.timestamp()),
    }
    if token.resource is not None:
        content["aud"] = token.resource
    if token.session_id is not None:
        content["sid"] = token.session_id
    return content


def _refresh_token(family: Family, settings: AuthSettings) -> dict[str, Any]:
    return {
        "iss": settings.issuer,
        "client_id": family.client_id,
        "sub": family.user_id,
        "scope": " ".join(family.scopes),
        "iat": int(family.issued_at.timestamp()),
        "exp": int(family.expires_at.timestamp()),
    }


def revoke(request: OAuthRequest, token: str) -> None:
    """Revoke a token of the client; an unknown one or another client's is left untouched.

    Raises what holds a request back that comes too often. What has not the form of a token costs no
    look-up, and does not count.
    """
    context, client = request.context, request.client
    if not (access_tokens.has_form(token) or refresh_tokens.has_form(token)):
        return
    request.check_rate_limit()
    refresh_token = refresh_tokens.find(context.reader, context.secret, token)
    if refresh_token is not None:
        if refresh_token.family.client_id == client.client_id:
            transaction = context.transaction()
            refresh_tokens.revoke_family(transaction.connection, refresh_token.family.id)
            _note(transaction, client, refresh_token.family.user_id)
        return
    access_token = access_tokens.find(context.reader, token)
    if access_token is not None and access_token.client_id == client.client_id:
        transaction = context.transaction()
        access_tokens.delete_one(transaction.connection, access_token)
        _note(transaction, client, access_token.sub)


def _note(transaction: Transaction, client: Client, sub: str) -> None:
    transaction.note(TokenRevoked(client_id=client.client_id, sub=sub))
