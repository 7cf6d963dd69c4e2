"""The userinfo endpoint: the claims behind an access token (OIDC Core, 5.3)."""

from typing import Any

from oauthlib.oauth2.rfc6749.errors import InsufficientScopeError, InvalidTokenError
from oauthlib.openid.connect.core.endpoints import userinfo as oauthlib_endpoint
from oauthlib.openid.connect.core.request_validator import RequestValidator

from authservice.compact_json import compact
from authservice.oauth import bearer, claims, parameters
from authservice.oauth.canonical_request import CanonicalRequest
from authservice.oauth.parameters import Parameters
from authservice.oauth.protocol_answer import NO_STORE, ProtocolAnswer, bearer_error_answer
from authservice.oauth.requested_claims import RequestedClaims
from authservice.oauth.server_context import Pairs, ServerContext
from authservice.services import access_tokens
from authservice.services.access_tokens import AccessToken
from authservice.services.clients import requests_per_minute


class _UserinfoRequest(CanonicalRequest):
    """A request with an access token in its header, and what that token stands for."""

    found_access_token: AccessToken

    def __init__(self, context: ServerContext, sent: Parameters, token: str) -> None:
        """Take what the request works with, its parameters, and the token it presents."""
        super().__init__(context, sent)
        self.headers = {"Authorization": f"Bearer {token}"}


class _Validator(RequestValidator):  # type: ignore[misc]  # oauthlib has no types
    """Answers what oauthlib asks about a userinfo request, and notes the token it found."""

    def validate_bearer_token(
        self, token: str | None, _scopes: object, request: _UserinfoRequest
    ) -> bool:
        """Accept an access token that is alive, and set what it stands for."""
        # oauthlib finds no token where there is a space in it.
        found = None if token is None else access_tokens.find(request.context.reader, token)
        # A token for a resource is that resource's alone: there it must not open the profile.
        if found is None or found.resources:
            return False
        request.found_access_token = found
        request.scopes = list(found.scopes)
        return True


_ENDPOINT = oauthlib_endpoint.UserInfoEndpoint(_Validator())


class UserinfoEndpoint:
    """Answers one userinfo request."""

    def __init__(self, context: ServerContext) -> None:
        """Take what the request works with."""
        self._context = context

    def respond(self, authorization: str | None, form: Pairs) -> ProtocolAnswer:
        """Return the claims behind an access token (OIDC Core, 5.3)."""
        sent = Parameters.read(form, parameters.USERINFO)
        token = bearer.presented_token(authorization, sent)
        if isinstance(token, ProtocolAnswer):
            return token
        request = _UserinfoRequest(self._context, sent, token)
        try:
            _ENDPOINT.validate_userinfo_request(request)
        except InsufficientScopeError as error:
            description = "The access token was not granted the scope openid."
            return bearer_error_answer(403, error.error, description, "openid")
        except InvalidTokenError as error:
            description = "The access token is unknown, expired or revoked."
            return bearer_error_answer(401, error.error, description)
        found = request.found_access_token
        self._context.admit(
            found.client_id,
            public=bool(found.public),
            requests_per_minute=requests_per_minute(found.client_metadata),
        )
        asked = RequestedClaims.from_json(found.requested_claims)
        told = {"sub": found.user.id} | claims.of_user(found.user, found.scopes, asked.userinfo)
        if found.userinfo_signed_response_alg is not None:
            return self._signed_userinfo(found, told)
        return ProtocolAnswer(200, NO_STORE, compact(told))

    def _signed_userinfo(self, token: AccessToken, claims: dict[str, Any]) -> ProtocolAnswer:
        """Return the claims as a JWT, for clients registered so (OIDC Core, 5.3.2)."""
        content = claims | {"iss": self._context.settings.issuer, "aud": token.client_id}
        alg = str(token.userinfo_signed_response_alg)
        # A kind of its own, so that it never passes for an ID token.
        signed = self._context.keys.sign(content, alg=alg, typ="userinfo+jwt")
        return ProtocolAnswer(200, NO_STORE, signed, "application/jwt")
