"""What oauthlib asks while it serves a request: about a client, its scopes, an access token."""

from collections.abc import Sequence

from oauthlib.oauth2.rfc6749.errors import (
    InvalidScopeError,
    InvalidTokenError,
    UnauthorizedClientError,
)
from oauthlib.openid.connect.core import request_validator

from authservice.oauth.client_authentication import authenticate
from authservice.oauth.oauth_request import OAuthRequest
from authservice.services.clients import clients
from authservice.services.clients.clients import Client
from authservice.services.tokens import access_tokens
from authservice.settings.resource_file import RESERVED_SCOPES


class RequestValidator(request_validator.RequestValidator):
    """Answers from the database, as it is at that moment."""

    def authenticate_client(self, request: OAuthRequest) -> bool:
        """Set the client that sent the request.

        Raises as ``authenticate``, and UnauthorizedClientError where resource servers may not ask.
        """
        request.client = authenticate(
            request.context,
            request.authorization,
            request.parameters,
            public_clients=request.endpoint.public_clients,
        )
        if request.client.is_resource_server and not request.endpoint.resource_servers:
            description = "The client is a resource server: it may introspect tokens, nothing else."
            raise UnauthorizedClientError(description=description)
        return True

    def validate_client_id(self, client_id: str, request: OAuthRequest) -> bool:
        """Tell whether the client exists, and set it."""
        client = clients.find(request.context.reader, client_id)
        if client is None:
            return False
        request.client = client
        return True

    def validate_redirect_uri(
        self, _client_id: str, redirect_uri: str, request: OAuthRequest
    ) -> bool:
        """Tell whether the redirect URI is one of the client's."""
        return request.client.allows_redirect_to(redirect_uri)

    def get_default_scopes(self, *_: object) -> list[str]:
        """Return what an omitted scope means."""
        return ["openid"]

    def validate_scopes(
        self, _client_id: str, scopes: Sequence[str], _client: Client, request: OAuthRequest
    ) -> bool:
        """Set the scopes that the client may ask for; raises InvalidScopeError if none is left.

        Others are ignored (OIDC Core, 3.1.2.1): many programs ask for all that metadata lists.
        """
        allowed = request.allowed_scopes
        request.scopes = [scope for scope in dict.fromkeys(scopes) if scope in allowed]
        if not request.scopes:
            # An API may have more scopes than an address has room for.
            ours = " ".join(scope for scope in allowed if scope in RESERVED_SCOPES)
            others = ", nor a scope of the client's resources" if request.client.resources else ""
            description = f"scope holds none of these values: {ours}{others}."
            raise InvalidScopeError(description=description)
        return True

    def validate_bearer_token(self, token: str, _scopes: object, request: OAuthRequest) -> bool:
        """Accept an access token for userinfo, and set what it stands for; else InvalidTokenError.

        It is alive, and for no resource.
        """
        context, access_token = request.context, None
        has_form = access_tokens.has_form(token)
        if has_form:
            access_token = access_tokens.find_of_user(context.reader, token)
        stored = has_form and (
            access_token is not None or access_tokens.is_stored(context.reader, token)
        )
        context.note_token(unknown=has_form and not stored)
        if access_token is None:
            description = "The access token is unknown, expired or revoked."
            if stored and access_tokens.find(context.reader, token) is not None:
                description = "The access token is a machine's, and speaks for no person."
            raise InvalidTokenError(description=description)
        if access_token.resource is not None:
            # It is that resource's alone: there it must not open the profile.
            description = "The access token is for a resource, not for userinfo."
            raise InvalidTokenError(description=description)
        request.presented, request.scopes = access_token, access_token.scopes
        return True
