"""Sessions and users as the session API words them: in JSON for its npm client, and as a JWT."""

from datetime import timedelta
from typing import Any

from authservice import clock
from authservice.crypto.algorithms import DEFAULT_ALG
from authservice.services.keys.signing_keys import SigningKeys
from authservice.services.people import groups
from authservice.services.people.users import User
from authservice.services.sessions.sessions import CentralSession
from authservice.settings import AuthSettings
from authservice.web.answers import iso_date

_TYP = "session+jwt"
_LIFETIME = timedelta(minutes=15)


def session_json(session: CentralSession, *, with_device: bool) -> dict[str, Any]:
    """Return a session; its ``token`` is a handle for revoke-session and opens nothing.

    With the device only for the person: an application has no need to know it.
    """
    return {
        "id": session.id,
        "expiresAt": iso_date(session.expires_at),
        "token": session.id,
        "createdAt": iso_date(session.created_at),
        "updatedAt": iso_date(session.updated_at),
        "ipAddress": session.ip_address or "" if with_device else None,
        "userAgent": session.user_agent or "" if with_device else None,
        "userId": session.user.id,
    }


def user_json(user: User, settings: AuthSettings) -> dict[str, Any]:
    """Return a user; with groups where the settings name organizations for these applications."""
    content = {
        "id": user.id,
        "name": user.name,
        "email": user.email,
        "emailVerified": user.trusted_email(settings) is not None,
        "image": user.image,
        "username": user.username,
        "createdAt": iso_date(user.created_at),
        "updatedAt": iso_date(user.updated_at),
    }
    if settings.groups_from:
        content["groups"] = groups.told_to_siblings(user, settings)
    return content


def session_jwt(user: User, audience: str, settings: AuthSettings, keys: SigningKeys) -> str:
    """Return a signed JWT that says who is signed in; it outlives a sign-out by 15 minutes."""
    issued_at = int(clock.now().timestamp())
    claims = user_json(user, settings) | {
        "iss": settings.auth_url,
        "aud": audience,
        "sub": user.id,
        "iat": issued_at,
        "exp": issued_at + int(_LIFETIME.total_seconds()),
    }
    return keys.sign(claims, alg=DEFAULT_ALG, typ=_TYP)
