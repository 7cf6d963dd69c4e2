"""The session as a JWT, for back ends of first-party applications that verify it by themselves."""

from datetime import timedelta

from authservice import clock
from authservice.crypto.algorithms import DEFAULT_ALG
from authservice.services.keys.signing_keys import SigningKeys
from authservice.services.people.users import User
from authservice.settings import AuthSettings
from authservice.web.session.session_api import user_json

TYP = "session+jwt"
_LIFETIME = timedelta(minutes=15)


def issue(user: User, audience: str, settings: AuthSettings, keys: SigningKeys) -> str:
    """Return a signed JWT that says who is signed in; it outlives a sign-out by 15 minutes."""
    issued_at = int(clock.now().timestamp())
    claims = user_json(user, settings) | {
        "iss": settings.auth_url,
        "aud": audience,
        "sub": user.id,
        "iat": issued_at,
        "exp": issued_at + int(_LIFETIME.total_seconds()),
    }
    return keys.sign(claims, alg=DEFAULT_ALG, typ=TYP)
