"""The authorization server: oauthlib's endpoints in one object, with one request validator.

Each entry method takes a request that has been read, and returns all of its answer. oauthlib's own
would read it once more, and look for a token before the client has shown who it is.
"""

import json

from oauthlib.oauth2.rfc6749 import endpoints
from oauthlib.oauth2.rfc6749.errors import (
    InsufficientScopeError,
    InvalidRequestError,
    InvalidTokenError,
    OAuth2Error,
    UnauthorizedClientError,
    UnsupportedGrantTypeError,
)
from oauthlib.openid.connect.core.endpoints import UserInfoEndpoint

from authservice import events
from authservice.crypto.compact_json import compact
from authservice.events import TokenRefused
from authservice.oauth import presented_tokens, userinfo
from authservice.oauth.authorize import authorization_response
from authservice.oauth.authorize.authorization_request import AuthorizationRequest
from authservice.oauth.authorize.authorization_response import (
    AuthorizationRefusedError,
    AuthorizationResponse,
)
from authservice.oauth.authorize.checks import CodeResponseType
from authservice.oauth.oauth_request import OAuthRequest
from authservice.oauth.parameters import Parameters
from authservice.oauth.protocol_answer import (
    NO_STORE,
    ProtocolAnswer,
    bearer_error_answer,
    error_answer,
)
from authservice.oauth.request_validator import RequestValidator
from authservice.oauth.token import authorization_code, client_credentials, refresh_token
from authservice.oauth.token.authorization_code import AuthorizationCodeGrant
from authservice.oauth.token.client_credentials import ClientCredentialsGrant
from authservice.oauth.token.refresh_token import RefreshTokenGrant
from authservice.services.clients.clients import Client
from authservice.services.sessions.sessions import CentralSession

GRANT_TYPES = (
    authorization_code.GRANT_TYPE,
    refresh_token.GRANT_TYPE,
    client_credentials.GRANT_TYPE,
)


class Server(
    endpoints.AuthorizationEndpoint,
    endpoints.TokenEndpoint,
    endpoints.IntrospectEndpoint,
    endpoints.RevocationEndpoint,
    UserInfoEndpoint,
):
    """Answers what programs ask, and authorization requests of browsers."""

    def __init__(self) -> None:
        validator = RequestValidator()
        endpoints.AuthorizationEndpoint.__init__(
            self,
            default_response_type="code",
            default_token_type="Bearer",
            response_types={"code": CodeResponseType(validator)},
        )
        endpoints.TokenEndpoint.__init__(
            self,
            default_grant_type=None,
            default_token_type="Bearer",
            grant_types={
                authorization_code.GRANT_TYPE: AuthorizationCodeGrant(validator),
                refresh_token.GRANT_TYPE: RefreshTokenGrant(validator),
                client_credentials.GRANT_TYPE: ClientCredentialsGrant(validator),
            },
        )
        endpoints.IntrospectEndpoint.__init__(self, validator)
        endpoints.RevocationEndpoint.__init__(self, validator)
        UserInfoEndpoint.__init__(self, validator)

    def validate_authorization_request(self, request: OAuthRequest) -> AuthorizationRequest:
        """Return what a client asks for (RFC 6749, 4.1.1; OIDC Core, 3.1.2.1).

        Raises FatalAuthorizationError where the browser may not be redirected, and
        AuthorizationRefusedError with the answer that goes to the redirect URI.
        """
        try:
            code: CodeResponseType = self.default_response_type_handler
            return code.validate_authorization_request(request)
        except OAuth2Error as error:
            issuer = request.context.settings.issuer
            refusal = authorization_response.refuse_unchecked(request.parameters, issuer, error)
            raise AuthorizationRefusedError(refusal) from None

    def create_authorization_response(
        self, request: OAuthRequest, granted: AuthorizationRequest, session: CentralSession
    ) -> AuthorizationResponse | None:
        """Return the answer that carries a new authorization code (RFC 6749, 4.1.2).

        None when the session has ended, or its user was deleted or is no longer admitted, since the
        session was read.
        """
        return authorization_response.issue_code(request.context, granted, session)

    def create_token_response(self, request: OAuthRequest) -> ProtocolAnswer:
        """Return the answer to a token request (RFC 6749, 4.1.3, 4.4.2 and 6)."""
        try:
            self._authenticate(request)
            request.check_rate_limit()
            grant_type = _grant_type(request.parameters)
            _check_grant_type(request.client, grant_type)
            content = self.grant_types[grant_type].create_token_response(request)
        except OAuth2Error as error:
            events.log(_refused(request, error))
            return error_answer(error)
        return ProtocolAnswer(200, NO_STORE, json.dumps(content))

    def create_introspect_response(self, request: OAuthRequest) -> ProtocolAnswer:
        """Return whether a token is active, and what it stands for (RFC 7662, section 2)."""
        try:
            members = presented_tokens.describe(request, self._token_of_client(request))
        except OAuth2Error as error:
            return error_answer(error)
        content = {"active": False} if members is None else {"active": True} | members
        return ProtocolAnswer(200, NO_STORE, compact(content))

    def create_revocation_response(self, request: OAuthRequest) -> ProtocolAnswer:
        """Return the answer to a revocation request, which says nothing of what the token was."""
        try:
            presented_tokens.revoke(request, self._token_of_client(request))
        except OAuth2Error as error:
            return error_answer(error)
        return ProtocolAnswer(200, NO_STORE, "", None)

    def create_userinfo_response(self, request: OAuthRequest) -> ProtocolAnswer:
        """Return the claims behind an access token that has the scope openid (OIDC Core, 5.3)."""
        token = userinfo.presented_token(request.authorization, request.parameters)
        if isinstance(token, ProtocolAnswer):
            return token
        request.access_token = token
        try:
            self.validate_userinfo_request(request)
        except InsufficientScopeError as error:
            description = "The access token was not granted the scope openid."
            return bearer_error_answer(403, error.error, description, "openid")
        except InvalidTokenError as error:
            return bearer_error_answer(401, error.error, error.description)
        return userinfo.answer(request.context, request.presented)

    def _token_of_client(self, request: OAuthRequest) -> str:
        """Return the token that an authenticated client asks about; raises OAuth2Error."""
        self._authenticate(request)
        if "token" not in request.parameters.values:
            request.check_rate_limit()
        request.parameters.require("token")
        return request.parameters.values["token"]

    def _authenticate(self, request: OAuthRequest) -> None:
        request.parameters.refuse_repeated()
        self.request_validator.authenticate_client(request)


def _grant_type(sent: Parameters) -> str:
    grant_type = sent.get("grant_type")
    expected = " or ".join(GRANT_TYPES)
    if grant_type is None:
        raise InvalidRequestError(description=f"grant_type is missing; it must be {expected}.")
    if grant_type not in GRANT_TYPES:
        raise UnsupportedGrantTypeError(description=f"grant_type must be {expected}.")
    return grant_type


def _check_grant_type(client: Client, grant_type: str) -> None:
    if grant_type not in client.usable_grant_types:
        usable = " or ".join(client.usable_grant_types)
        description = f"The client is not registered for this grant: grant_type must be {usable}."
        raise UnauthorizedClientError(description=description)


def _refused(request: OAuthRequest, error: OAuth2Error) -> TokenRefused:
    grant_type = request.parameters.get("grant_type")
    client: Client | None = getattr(request, "client", None)
    return TokenRefused(
        # Any sender may send any text.
        grant_type=grant_type if grant_type in GRANT_TYPES else None,
        client_id=None if client is None else client.client_id,
        error=error.error,
    )


server = Server()
