"""The authorization server as the web layer sees it: one method for each endpoint.

oauthlib's ready-made server would bring grants that we do not want, so each endpoint is composed
of exactly what it needs. What oauthlib is asked with is made once and knows nothing of a request.
"""

from authservice.oauth import introspection_endpoint, revocation_endpoint
from authservice.oauth.authorization_endpoint import AuthorizationEndpoint
from authservice.oauth.authorization_request import AuthorizationRequest
from authservice.oauth.authorization_response import AuthorizationResponse
from authservice.oauth.parameters import Parameters
from authservice.oauth.protocol_answer import ProtocolAnswer
from authservice.oauth.server_context import Pairs, ServerContext
from authservice.oauth.token_endpoint import TokenEndpoint
from authservice.oauth.userinfo_endpoint import UserinfoEndpoint
from authservice.services.sessions import CentralSession


class AuthorizationServer:
    """Answers one request as the authorization server."""

    def __init__(self, context: ServerContext) -> None:
        """Take what the request works with."""
        self._context = context

    def validate_authorization_request(self, asked: Parameters) -> AuthorizationRequest:
        """Return what a client asks for.

        Raises FatalAuthorizationError where nobody may be redirected, and
        AuthorizationRefusedError with the answer that goes to the redirect URI.
        """
        return AuthorizationEndpoint(self._context).validate(asked)

    def issue_code(
        self, asked: AuthorizationRequest, session: CentralSession
    ) -> AuthorizationResponse | None:
        """Return the answer that carries a new authorization code.

        None when the session has ended, or its user was deleted, since the session was read.
        """
        return AuthorizationEndpoint(self._context).issue_code(asked, session)

    def refuse(
        self, asked: AuthorizationRequest, error: str, description: str
    ) -> AuthorizationResponse:
        """Return the answer that tells the client why it gets no code."""
        return AuthorizationEndpoint(self._context).refuse(asked, error, description)

    def create_token_response(self, authorization: str | None, form: Pairs) -> ProtocolAnswer:
        """Return the answer to a token request (RFC 6749, 4.1.3 and 6)."""
        return TokenEndpoint(self._context).respond(authorization, form)

    def create_introspection_response(
        self, authorization: str | None, form: Pairs
    ) -> ProtocolAnswer:
        """Return whether a token is active and what it stands for (RFC 7662)."""
        return introspection_endpoint.introspect(self._context, authorization, form)

    def create_revocation_response(self, authorization: str | None, form: Pairs) -> ProtocolAnswer:
        """Take a token back (RFC 7009)."""
        return revocation_endpoint.revoke(self._context, authorization, form)

    def create_userinfo_response(self, authorization: str | None, form: Pairs) -> ProtocolAnswer:
        """Return the claims behind an access token (OIDC Core, 5.3)."""
        return UserinfoEndpoint(self._context).respond(authorization, form)
