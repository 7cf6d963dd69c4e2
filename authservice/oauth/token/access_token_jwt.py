"""Access tokens for resource servers that verify them by themselves (RFC 9068)."""

from collections.abc import Iterable
from datetime import timedelta

from authservice import clock
from authservice.crypto.algorithms import DEFAULT_ALG
from authservice.crypto.secret_values import random_id
from authservice.oauth.token.grant import TokenGrant
from authservice.services.keys.signing_keys import SigningKeys
from authservice.settings import AuthSettings

TYP = "at+jwt"


def issue(
    grant: TokenGrant,
    scopes: Iterable[str],
    audience: str,
    settings: AuthSettings,
    keys: SigningKeys,
    *,
    lifetime: timedelta,
) -> str:
    """Return a signed access token for this audience (RFC 9068, section 2.2)."""
    issued_at = int(clock.now().timestamp())
    content = {
        "iss": settings.issuer,
        "sub": grant.user_id,
        "aud": audience,
        "client_id": grant.client_id,
        "scope": " ".join(scopes),
        "auth_time": int(grant.auth_time.timestamp()),
        "jti": random_id(),
        "iat": issued_at,
        "exp": issued_at + int(lifetime.total_seconds()),
    }
    return keys.sign(content, alg=DEFAULT_ALG, typ=TYP)
