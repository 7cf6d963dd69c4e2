"""How callers show who they are."""

from authservice.settings import AuthSettings
from authservice.web.cookies import Cookies
from authservice.web.openapi.description import Object

CLIENT: list[Object] = [{"clientSecretBasic": []}, {}]
"""A client; one that sends its secret in the form, or has none, needs no header."""
ACCESS_TOKEN: list[Object] = [{"accessToken": []}]
SESSION: list[Object] = [{"session": []}]
SESSION_OR_NOBODY: list[Object] = [{"session": []}, {}]
OWN_BROWSER: list[Object] = [{"session": [], "companion": []}]
OWN_BROWSER_OR_NOBODY: list[Object] = [{"session": [], "companion": []}, {}]


def of(settings: AuthSettings, cookies: Cookies) -> Object:
    """Return the schemes of a service that has these settings."""
    return {
        "clientSecretBasic": {
            "type": "http",
            "scheme": "basic",
            "description": "client id and secret, each form-encoded (RFC 6749, section 2.3.1)",
        },
        "accessToken": {
            "type": "http",
            "scheme": "bearer",
            "description": "an access token that was not issued for a resource (RFC 6750)",
        },
        "session": {
            "type": "apiKey",
            "in": "cookie",
            "name": cookies.session_name,
            "description": "the session, shared with the applications on the parent domain",
        },
        "companion": {
            "type": "apiKey",
            "in": "cookie",
            "name": cookies.companion_name,
            "description": "shows that the session was begun in this browser",
        },
        "openIdConnect": {
            "type": "openIdConnect",
            "openIdConnectUrl": f"{settings.issuer}/.well-known/openid-configuration",
            "description": "how clients obtain access tokens",
        },
    }
