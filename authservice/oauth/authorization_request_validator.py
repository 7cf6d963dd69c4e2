"""The answers to oauthlib's questions about an authorization request, in the order it asks."""

from oauthlib.oauth2.rfc6749.errors import InvalidScopeError
from oauthlib.openid.connect.core.request_validator import RequestValidator

from authservice.oauth.canonical_request import CanonicalRequest
from authservice.services import clients
from authservice.services.clients import Client


class AuthorizationRequestValidator(RequestValidator):  # type: ignore[misc]  # oauthlib: no types
    """Knows nothing itself: the client is kept with the request as soon as it is found."""

    def validate_client_id(self, client_id: str, request: CanonicalRequest) -> bool:
        """Tell whether the client exists, and remember it."""
        request.client = clients.find(request.context.reader, client_id)
        return request.client is not None

    def validate_redirect_uri(
        self, _client_id: str, redirect_uri: str, request: CanonicalRequest
    ) -> bool:
        """Tell whether the redirect URI is one of the client's."""
        return bool(request.client.allows_redirect_to(redirect_uri))

    def get_default_redirect_uri(self, *_: object) -> None:
        """Return none: redirect_uri is required."""

    def validate_response_type(self, *_: object) -> bool:
        """Accept: the response type was checked to be ``code``."""
        return True

    def is_pkce_required(self, *_: object) -> bool:
        """Demand PKCE. It must be the literal True: oauthlib compares by identity."""
        return True

    def get_default_scopes(self, *_: object) -> list[str]:
        """Return what an omitted scope means."""
        return ["openid"]

    def validate_scopes(
        self,
        _client_id: str,
        scopes: list[str],
        client: Client,
        _request: object,
    ) -> bool:
        """Accept the scopes that the client may ask for."""
        if not all(client.may_ask_for(scope) for scope in scopes):
            allowed = " ".join(scope for scope in clients.SCOPES if client.may_ask_for(scope))
            raise InvalidScopeError(description=f"scope may hold these values only: {allowed}.")
        return True
