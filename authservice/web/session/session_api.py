"""Sessions and users as the session API words them, for its npm client."""

from typing import Any

from authservice.services.people import groups
from authservice.services.people.users import User
from authservice.services.sessions.sessions import CentralSession
from authservice.settings import AuthSettings
from authservice.web.answers import iso_date


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
        "emailVerified": user.email_verified,
        "image": user.image,
        "username": user.username,
        "createdAt": iso_date(user.created_at),
        "updatedAt": iso_date(user.updated_at),
    }
    if settings.groups_from:
        content["groups"] = groups.told_to_siblings(user, settings)
    return content
