"""The checks of an authorization request, each named, in the order in which they are made.

They run once client and redirect URI are known to belong together, so every failure here goes to
the redirect URI. Each takes the parameters as sent and raises an OAuth2Error that names the rule.
"""

import re

from oauthlib.oauth2.rfc6749.errors import (
    InvalidRequestError,
    OAuth2Error,
    UnsupportedResponseTypeError,
)

from authservice.oauth.authorization_response import RESPONSE_MODES
from authservice.oauth.parameters import Parameters

PROMPTS = ("none", "login", "consent", "select_account")
# What RFC 7636, section 4.1 allows in a verifier; a challenge has the same alphabet and lengths.
PKCE_VALUE = re.compile(r"[A-Za-z0-9._~-]{43,128}")
# Anything beyond is no age; a longer number would not fit into a duration either.
_MAX_AGE = re.compile(r"[0-9]{1,9}")


class RequestNotSupportedError(OAuth2Error):  # type: ignore[misc]  # oauthlib has no types
    """The request uses a request object (OIDC Core, 3.1.2.6)."""

    error = "request_not_supported"


class RequestUriNotSupportedError(OAuth2Error):  # type: ignore[misc]  # oauthlib has no types
    """The request refers to a request object (OIDC Core, 3.1.2.6)."""

    error = "request_uri_not_supported"


class InvalidTargetError(OAuth2Error):  # type: ignore[misc]  # oauthlib has no types
    """The request names a resource that tokens cannot be made for (RFC 8707, section 2)."""

    error = "invalid_target"


def refuse_request_objects(asked: Parameters) -> None:
    """Refuse ``request`` and ``request_uri``: what they hold would override what we checked."""
    if asked.get("request") is not None:
        raise RequestNotSupportedError(
            description="Request objects are not supported: send the parameters themselves."
        )
    if asked.get("request_uri") is not None:
        raise RequestUriNotSupportedError(
            description="request_uri is not supported: send the parameters themselves."
        )


def repeated(asked: Parameters) -> None:
    """Refuse parameters that are given more than once (RFC 6749, section 3.1)."""
    asked.refuse_repeated()


def response_mode(asked: Parameters) -> None:
    """Accept query and form_post, query when it is absent."""
    if asked.get("response_mode") not in {None, *RESPONSE_MODES}:
        raise InvalidRequestError(description="response_mode must be query or form_post.")


def response_type(asked: Parameters) -> None:
    """Accept exactly ``code``."""
    if asked.get("response_type") is None:
        raise InvalidRequestError(description="response_type is missing; it must be code.")
    if asked.get("response_type") != "code":
        raise UnsupportedResponseTypeError(description="response_type must be code.")


def code_challenge(asked: Parameters) -> None:
    """Demand PKCE with S256 of every client (RFC 7636; RFC 9700, section 2.1.1)."""
    challenge = asked.get("code_challenge")
    if challenge is None:
        raise InvalidRequestError(
            description="code_challenge is missing: PKCE with code_challenge_method S256 is"
            " required for every client."
        )
    if asked.get("code_challenge_method") != "S256":
        raise InvalidRequestError(description="code_challenge_method must be S256.")
    if not PKCE_VALUE.fullmatch(challenge):
        raise InvalidRequestError(
            description="code_challenge must have 43 to 128 characters of A-Z a-z 0-9 - . _ ~."
        )


def prompt(asked: Parameters) -> None:
    """Accept the known values, and ``none`` only by itself (OIDC Core, 3.1.2.1)."""
    values = set((asked.get("prompt") or "").split())
    if not values <= set(PROMPTS):
        raise InvalidRequestError(description=f"prompt may hold {', '.join(PROMPTS)} only.")
    if "none" in values and len(values) > 1:
        raise InvalidRequestError(description="prompt none cannot be combined with other values.")


def max_age(asked: Parameters) -> None:
    """Accept a number of seconds."""
    if not _MAX_AGE.fullmatch(asked.get("max_age") or "0"):
        raise InvalidRequestError(description="max_age must be a whole number of seconds.")


# Request objects come first: what they carry may be missing outside.
BEFORE_THE_SCOPES = (refuse_request_objects, repeated, response_mode, response_type, code_challenge)
AFTER_THE_SCOPES = (prompt, max_age)
