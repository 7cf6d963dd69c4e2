"""Proof Key for Code Exchange (RFC 7636), with S256 for every client."""

import re

from oauthlib.oauth2.rfc6749.errors import InvalidGrantError, InvalidRequestError
from oauthlib.oauth2.rfc6749.grant_types.authorization_code import code_challenge_method_s256

from authservice.oauth.parameters import Parameters

# What section 4.1 allows in a verifier; a challenge has the same alphabet and lengths.
_VALUE = re.compile(r"[A-Za-z0-9._~-]{43,128}")


def check_challenge(parameters: Parameters) -> None:
    """Demand a challenge (RFC 7636, section 4.3; RFC 9700, section 2.1.1)."""
    challenge = parameters.get("code_challenge")
    if challenge is None:
        raise InvalidRequestError(
            description="code_challenge is missing: PKCE with code_challenge_method S256 is"
            " required for every client."
        )
    if parameters.get("code_challenge_method") != "S256":
        raise InvalidRequestError(description="code_challenge_method must be S256.")
    if not _VALUE.fullmatch(challenge):
        raise InvalidRequestError(
            description="code_challenge must have 43 to 128 characters of A-Z a-z 0-9 - . _ ~."
        )


def check_verifier_form(parameters: Parameters) -> None:
    """Demand a verifier that may be one (RFC 7636, section 4.5)."""
    if not _VALUE.fullmatch(parameters.get("code_verifier") or ""):
        raise InvalidGrantError(
            description="code_verifier must have 43 to 128 characters of A-Z a-z 0-9 - . _ ~."
        )


def check_verifier(parameters: Parameters, challenge: str) -> None:
    """Demand the verifier of this challenge (RFC 7636, section 4.6)."""
    if not code_challenge_method_s256(parameters.values["code_verifier"], challenge):
        raise InvalidGrantError(
            description="code_verifier does not belong to the code_challenge that was sent."
        )
