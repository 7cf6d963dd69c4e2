"""Access tokens for resource servers that verify them by themselves (RFC 9068)."""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any

from authservice import clock
from authservice.crypto.algorithms import DEFAULT_ALG
from authservice.crypto.secret_values import random_id
from authservice.services.keys.signing_keys import SigningKeys
from authservice.settings import AuthSettings

TYP = "at+jwt"


def issue(
    about: Mapping[str, Any],
    scopes: Iterable[str],
    audience: str,
    settings: AuthSettings,
    keys: SigningKeys,
    *,
    lifetime: timedelta,
) -> str:
    """Return a signed access token for this audience (RFC 9068, section 2.2).

    ``about`` says of whom it speaks, in the claims of the token.
    """
    issued_at = int(clock.now().timestamp())
    content = {
        **about,
        "iss": settings.issuer,
        "aud": audience,
        "scope": " ".join(scopes),
        "jti": random_id(),
        "iat": issued_at,
        "exp": issued_at + int(lifetime.total_seconds()),
    }
    return keys.sign(content, alg=DEFAULT_ALG, typ=TYP)
