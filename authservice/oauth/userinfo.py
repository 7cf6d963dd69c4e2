"""The userinfo endpoint: the claims behind an access token (OIDC Core, 5.3)."""

from typing import Any

from authservice.crypto.compact_json import compact
from authservice.oauth import claims
from authservice.oauth.claims_parameter import RequestedClaims
from authservice.oauth.oauth_request import ServerContext
from authservice.oauth.parameters import Parameters
from authservice.oauth.protocol_answer import NO_STORE, ProtocolAnswer, bearer_error_answer
from authservice.services.clients.clients import requests_per_minute
from authservice.services.tokens.access_tokens import UserAccessToken


def presented_token(authorization: str | None, form: Parameters) -> str | ProtocolAnswer:
    """Return the token of a request, or the answer that says what is wrong with it.

    It travels in the header, or in the form body of a POST, never both. The query is not read at
    all: addresses end up in logs (RFC 6750, section 2.3; OAuth 2.1, 5.1).
    """
    in_form = form.get("access_token")
    if form.repeated or (authorization is not None and in_form is not None):
        return bearer_error_answer(
            400, "invalid_request", "Send one access token, in the header or in the form body."
        )
    if authorization is None:
        return in_form if in_form is not None else bearer_error_answer(401)
    scheme, _, token = authorization.partition(" ")
    if scheme.lower() != "bearer":
        return bearer_error_answer(401)
    token = token.strip()
    if not token or " " in token:
        return bearer_error_answer(
            400, "invalid_request", "The Authorization header must be: Bearer, a space, the token."
        )
    return token


def answer(context: ServerContext, token: UserAccessToken) -> ProtocolAnswer:
    """Return the claims; raises what holds a request back that comes too often."""
    context.check_rate_limit(
        token.client_id,
        public=bool(token.public),
        requests_per_minute=requests_per_minute(token.client_metadata),
        # Nobody authenticates as the client here: one person must not use up what others have.
        apart=token.user.id,
    )
    requested = RequestedClaims.from_json(token.requested_claims)
    about_user = claims.of_user(token.user, context.settings, token.scopes, requested.userinfo)
    told = {"sub": token.user.id} | about_user
    if token.userinfo_signed_response_alg is None:
        return ProtocolAnswer(200, NO_STORE, compact(told))
    return ProtocolAnswer(200, NO_STORE, _signed(context, token, told), "application/jwt")


def _signed(context: ServerContext, token: UserAccessToken, told: dict[str, Any]) -> str:
    """Return the claims as a JWT, for clients registered so (OIDC Core, 5.3.2)."""
    content = told | {"iss": context.settings.issuer, "aud": token.client_id}
    alg = str(token.userinfo_signed_response_alg)
    # A kind of its own, so that it never passes for an ID token.
    return context.keys.sign(content, alg=alg, typ="userinfo+jwt")
