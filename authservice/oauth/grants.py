"""The two grants that we know, narrowed to what OAuth 2.1 leaves of them.

oauthlib's OpenID grants wrap a plain OAuth grant and hand most things through to it, so what is
narrowed is the inner grant, and it is set once. A grant is made once, for all requests: what
belongs to one of them is kept with oauthlib's request.
"""

from collections.abc import Callable
from typing import Any

from oauthlib.oauth2.rfc6749.errors import InvalidGrantError
from oauthlib.oauth2.rfc6749.grant_types import AuthorizationCodeGrant as OAuthCodeGrant
from oauthlib.oauth2.rfc6749.grant_types.authorization_code import code_challenge_method_s256
from oauthlib.openid.connect.core.grant_types import AuthorizationCodeGrant as OpenIDCodeGrant
from oauthlib.openid.connect.core.grant_types import RefreshTokenGrant as OpenIDRefreshGrant

from authservice.oauth import authorization_checks
from authservice.oauth.canonical_request import CanonicalRequest
from authservice.oauth.parameters import Parameters

AUTHORIZATION_CODE = "authorization_code"
REFRESH_TOKEN = "refresh_token"
GRANT_TYPES = (AUTHORIZATION_CODE, REFRESH_TOKEN)


class _CodeGrantWithS256(OAuthCodeGrant):  # type: ignore[misc]  # oauthlib has no types
    """The authorization code grant without the PKCE method ``plain``."""

    _code_challenge_methods = {"S256": code_challenge_method_s256}  # noqa: RUF012  (oauthlib's)

    def validate_code_challenge(self, challenge: str, challenge_method: str, verifier: str) -> bool:
        """Accept the verifier of the challenge; oauthlib would refuse others without a text."""
        if not super().validate_code_challenge(challenge, challenge_method, verifier):
            raise InvalidGrantError(
                description="code_verifier does not belong to the code_challenge that was sent."
            )
        return True


class AuthorizationCodeGrant(OpenIDCodeGrant):  # type: ignore[misc]  # oauthlib has no types
    """OpenID's authorization code grant, which is plain OAuth where openid is not asked for."""

    def __init__(self, request_validator: Any) -> None:
        """Take the validator."""
        self.proxy_target = _CodeGrantWithS256(
            request_validator=request_validator,
            pre_auth=[_hook(check) for check in authorization_checks.BEFORE_THE_SCOPES],
            post_auth=[_hook(check) for check in authorization_checks.AFTER_THE_SCOPES],
        )
        self.register_token_modifier(self.add_id_token)
        self.register_token_modifier(_without_unasked_refresh_token)


class RefreshTokenGrant(OpenIDRefreshGrant):  # type: ignore[misc]  # oauthlib has no types
    """OpenID's refresh token grant; the validator decides about rotation."""


def _without_unasked_refresh_token(
    token: dict[str, Any],
    _token_handler: object,
    request: Any,
) -> dict[str, Any]:
    """Leave the refresh token out unless offline_access was granted (OIDC Core, section 11)."""
    if "offline_access" not in request.scopes:
        token.pop("refresh_token", None)
    return token


def _hook(check: Callable[[Parameters], None]) -> Callable[[CanonicalRequest], dict[str, Any]]:
    """Return a check as oauthlib calls it; what it returns would be added to the answer."""

    def hook(request: CanonicalRequest) -> dict[str, Any]:
        check(request.sent)
        return {}

    return hook
