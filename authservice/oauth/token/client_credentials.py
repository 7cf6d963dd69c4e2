"""Client credentials (OAuth 2.1, section 4.2), from the first check to the answer.

A machine gets a token in its own name: its ``sub`` is the client's id, and there is no person, no
session and no consent behind it. There is no refresh token either, nor an ID token.
"""

from collections.abc import Sequence
from typing import Any

from oauthlib.oauth2.rfc6749.errors import (
    CustomOAuth2Error,
    InvalidClientError,
    InvalidScopeError,
)
from oauthlib.oauth2.rfc6749.grant_types.base import GrantTypeBase

from authservice import clock
from authservice.events import TokenIssued
from authservice.oauth.oauth_request import OAuthRequest
from authservice.oauth.token import issue
from authservice.services.clients import clients
from authservice.services.tokens import access_tokens, grants
from authservice.settings.resource_file import Resource
from authservice.settings.resource_indicators import as_named

GRANT_TYPE = "client_credentials"


class ClientCredentialsGrant(GrantTypeBase):
    """Gives a machine an access token for one of its resources.

    The server finds a grant by its type, as oauthlib has it; nothing else of the base is used.
    """

    def create_token_response(self, request: OAuthRequest) -> dict[str, Any]:
        """Return the token; raises as ``issue_token``."""
        return issue_token(request)


def issue_token(request: OAuthRequest) -> dict[str, Any]:
    """Return the token for the machine that sent the request; raises OAuth2Error."""
    client_id, settings = request.client.client_id, request.context.settings
    requested = (request.parameters.get("scope") or "").split()
    resource = _resource(request, requested)
    scopes = _scopes(request, requested, resource)
    # It can have the next one at any time.
    lifetime = resource.lifetime(settings.lifetimes.access_token, renewable=True)
    about = {"sub": client_id, "client_id": client_id}
    # Before the transaction: no lock is held while it is signed.
    token = issue.new_access_token(request, about, scopes, resource, lifetime)

    transaction = request.context.transaction()
    writer = transaction.connection
    if not clients.share(writer, client_id):
        raise InvalidClientError(description="The client was disabled or deleted just now.")
    expires_at = clock.now() + lifetime
    grant_id = grants.store_without_refresh_token(
        writer,
        expires_at,
        client_id=client_id,
        session_id=None,
        user_id=None,
        authorization_code_id=None,
        auth_time=None,
        scopes=scopes,
        resources=(resource.uri,),
        requested_claims=None,
    )
    access_tokens.store(
        writer,
        token,
        refresh_id=grant_id,
        expires_at=expires_at,
        scopes=scopes,
        resources=None,
        requested_claims=None,
    )
    scope = " ".join(scopes)
    transaction.note(
        TokenIssued(grant_type=GRANT_TYPE, client_id=client_id, sub=client_id, scope=scope)
    )
    answer = {
        "access_token": token,
        "token_type": "Bearer",
        "expires_in": int(lifetime.total_seconds()),
    }
    # A blank scope is none of the standard's (RFC 6749, section 3.3).
    return answer | ({"scope": scope} if scope else {})


def _resource(request: OAuthRequest, requested: Sequence[str]) -> Resource:
    """Return the resource that the token is for (RFC 8707, section 2.2).

    It is the one that the request names, else the one whose scopes it names. Of several the first
    counts, in the order of the registration; so it does if none is named.
    """
    described = request.context.settings.resources
    own = [each.uri for each in request.client.own_resources(described)]
    if not own:
        raise CustomOAuth2Error(
            "invalid_target",
            description="The service has none of the resources that the client is registered for.",
        )
    named = as_named(request.parameters.resources, own)
    if not {*named} <= {*own}:
        expected = " or ".join(own)
        raise CustomOAuth2Error("invalid_target", description=f"resource must be {expected}.")
    asked = {*requested}
    wanted = named or [uri for uri in own if not asked.isdisjoint(described[uri].scopes)]
    return described[next((uri for uri in own if uri in wanted), own[0])]


def _scopes(request: OAuthRequest, requested: Sequence[str], resource: Resource) -> tuple[str, ...]:
    """Return the scopes that are requested, all that the machine may have if none is.

    No person looks at them, so nothing is ignored: one that it may not have is refused.
    """
    allowed = request.client.allowed_scopes({resource.uri: resource})
    allowed = tuple(scope for scope in allowed if scope in resource.scopes)
    if resource.scopes and not allowed:
        description = f"The client is registered for no scope of {resource.uri}."
        raise InvalidScopeError(description=description)
    if not {*requested} <= {*allowed}:
        expected = " ".join(allowed) or "none"
        description = f"scope may hold these values only, for {resource.uri}: {expected}."
        raise InvalidScopeError(description=description)
    return tuple(dict.fromkeys(requested or allowed))
