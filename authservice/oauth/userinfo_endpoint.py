"""The userinfo endpoint: the claims behind an access token (OIDC Core, 5.3)."""

import json
from typing import Any

from oauthlib.oauth2.rfc6749.errors import OAuth2Error
from oauthlib.openid.connect.core.endpoints import userinfo as oauthlib_endpoint
from oauthlib.openid.connect.core.request_validator import RequestValidator
from sqlalchemy import Connection

from authservice.oauth import bearer, claims, parameters
from authservice.oauth.parameters import Parameters
from authservice.oauth.protocol_answer import NO_STORE, ProtocolAnswer, bearer_error_answer
from authservice.oauth.requested_claims import RequestedClaims
from authservice.oauth.server_context import Pairs, ServerContext
from authservice.services import access_tokens
from authservice.services.access_tokens import AccessToken


class _Validator(RequestValidator):  # type: ignore[misc]  # oauthlib has no types
    """Answers what oauthlib asks about a userinfo request, and remembers the token it found."""

    def __init__(self, reader: Connection) -> None:
        """Take where tokens are looked up."""
        super().__init__()
        self._reader = reader
        self.access_token: AccessToken | None = None

    def validate_bearer_token(self, token: str | None, _scopes: object, request: Any) -> bool:
        """Accept an access token that is alive, and set what it stands for."""
        # oauthlib finds no token where there is a space in it.
        found = None if token is None else access_tokens.find(self._reader, token)
        # A token for a resource is that resource's alone: there it must not open the profile.
        if found is None or found.resources:
            return False
        self.access_token = found
        request.user = found.user
        request.scopes = found.scopes
        request.claims = RequestedClaims.from_json(found.requested_claims)
        return True

    def get_userinfo_claims(self, request: Any) -> dict[str, Any]:
        """Return the claims that the token's scopes allow, and those asked for by name."""
        return {"sub": request.user.id} | claims.of_user(
            request.user, request.scopes, request.claims.userinfo
        )


class UserinfoEndpoint:
    """Answers one userinfo request."""

    def __init__(self, context: ServerContext) -> None:
        """Take what the request works with."""
        self._context = context

    def respond(self, authorization: str | None, form: Pairs) -> ProtocolAnswer:
        """Return the claims behind an access token (OIDC Core, 5.3)."""
        token = bearer.presented_token(authorization, Parameters.read(form, parameters.USERINFO))
        if isinstance(token, ProtocolAnswer):
            return token
        validator = _Validator(self._context.reader)
        endpoint = oauthlib_endpoint.UserInfoEndpoint(validator)
        try:
            _, body, status = endpoint.create_userinfo_response(
                "https://server", headers={"Authorization": f"Bearer {token}"}
            )
        except OAuth2Error as error:
            if error.error == "insufficient_scope":
                description = "The access token was not granted the scope openid."
                return bearer_error_answer(403, error.error, description, "openid")
            description = "The access token is unknown, expired or revoked."
            return bearer_error_answer(401, "invalid_token", description)
        found = validator.access_token
        if found is not None:
            self._context.admit(found.client_id, public=bool(found.public))
            if found.userinfo_signed_response_alg is not None:
                return self._signed_userinfo(found, json.loads(body))
        return ProtocolAnswer(status, NO_STORE, body)

    def _signed_userinfo(self, token: AccessToken, claims: dict[str, Any]) -> ProtocolAnswer:
        """Return the claims as a JWT, for clients registered so (OIDC Core, 5.3.2)."""
        content = claims | {"iss": self._context.settings.issuer, "aud": token.client_id}
        alg = str(token.userinfo_signed_response_alg)
        # A kind of its own, so that it never passes for an ID token.
        signed = self._context.keys.sign(content, alg=alg, typ="userinfo+jwt")
        return ProtocolAnswer(200, NO_STORE, signed, "application/jwt")
