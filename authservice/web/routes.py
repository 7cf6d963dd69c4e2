"""Every address of the service in one table, with its methods and the surface it belongs to.

The surface decides what answers have in common: who may call across origins, and how an error
looks. A method that is not listed is answered with 405.
"""

import re
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

ISSUER_PATH = "/api/auth"
STATIC_PATH = "/static/"
PROVIDER_WEBHOOK = "provider.webhook"
WEBHOOK_PATH = f"{ISSUER_PATH}/provider/webhook"


class Surface(Enum):
    """Who an address is for."""

    PAGE = auto()
    """People: HTML."""
    SESSION_API = auto()
    """First-party applications: JSON, credentialed CORS for trusted origins."""
    PROTOCOL = auto()
    """OAuth clients: open CORS without credentials."""
    DOCUMENT = auto()
    """Metadata and keys: open CORS, and with credentials for trusted origins."""
    BROWSER_PROTOCOL = auto()
    """The browser on its way between a client and us: redirects and pages, no CORS."""
    PROVIDER = auto()
    """The identity provider: JSON, no CORS."""
    PROXY = auto()
    """The reverse proxy in front of an application: JSON, no CORS."""

    # There is one object of each. An enumeration computes it in Python, from the name.
    __hash__ = object.__hash__


class Counted(Enum):
    """Which requests for an address count in production, and as what."""

    OTHER = auto()
    """All, for who sent them."""
    SIGN_IN = auto()
    """All, as sign-ins that begin."""
    AUTHORIZATION = auto()
    """All, as authorization requests."""
    NONE = auto()
    """None: they cost next to nothing."""
    UNKNOWN_SESSIONS = auto()
    """Those with a session that is not stored: back ends ask for all their visitors."""
    SESSIONS = auto()
    """Those with a session: others are refused before anything is looked up."""
    CLIENTS = auto()
    """All, for their client."""
    BY_VIEW = auto()
    """Those that its view counts: it knows the attempt, the signature or the session."""


@dataclass(frozen=True, slots=True)
class Route:
    """One address. A POST counts for its session too, a GET if ``get_counts`` says so."""

    name: str
    path: str
    methods: tuple[str, ...]
    surface: Surface
    counted: Counted = Counted.OTHER
    get_counts: bool = False


_METHODS = {"GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE"}
_GET = ("GET", "HEAD")
_GET_POST = ("GET", "HEAD", "POST")
_POST = ("POST",)
_I = ISSUER_PATH

ROUTES = (
    Route("health", "/api/health", _GET, Surface.PROTOCOL, Counted.NONE),
    Route("ready", "/api/ready", _GET, Surface.PROTOCOL),
    Route("openapi", "/api/openapi.json", _GET, Surface.PROTOCOL, Counted.NONE),
    # Metadata and keys
    Route(
        "well_known.openid_configuration",
        f"{_I}/.well-known/openid-configuration",
        _GET,
        Surface.DOCUMENT,
        Counted.NONE,
    ),
    Route(
        "well_known.oauth_authorization_server",
        f"{_I}/.well-known/oauth-authorization-server",
        _GET,
        Surface.DOCUMENT,
        Counted.NONE,
    ),
    Route(
        "well_known.path_inserted",
        f"/.well-known/oauth-authorization-server{_I}",
        _GET,
        Surface.DOCUMENT,
        Counted.NONE,
    ),
    Route("jwks", f"{_I}/jwks", _GET, Surface.DOCUMENT, Counted.NONE),
    # OAuth 2.1 and OpenID Connect
    Route(
        "oauth2.authorize",
        f"{_I}/oauth2/authorize",
        _GET_POST,
        Surface.BROWSER_PROTOCOL,
        Counted.AUTHORIZATION,
        get_counts=True,
    ),
    Route("oauth2.token", f"{_I}/oauth2/token", _POST, Surface.PROTOCOL, Counted.CLIENTS),
    Route("oauth2.userinfo", f"{_I}/oauth2/userinfo", _GET_POST, Surface.PROTOCOL, Counted.CLIENTS),
    Route("oauth2.introspect", f"{_I}/oauth2/introspect", _POST, Surface.PROTOCOL, Counted.CLIENTS),
    Route("oauth2.revoke", f"{_I}/oauth2/revoke", _POST, Surface.PROTOCOL, Counted.CLIENTS),
    Route(
        "oauth2.end_session",
        f"{_I}/oauth2/end-session",
        _GET_POST,
        Surface.BROWSER_PROTOCOL,
        get_counts=True,
    ),
    Route("oauth2.end_session_confirm", f"{_I}/oauth2/end-session/confirm", _POST, Surface.PAGE),
    # The central session
    Route("get_session", f"{_I}/get-session", _GET, Surface.SESSION_API, Counted.UNKNOWN_SESSIONS),
    Route("sign_out", f"{_I}/sign-out", _POST, Surface.SESSION_API, Counted.UNKNOWN_SESSIONS),
    Route("sign_in.social", f"{_I}/sign-in/social", _POST, Surface.SESSION_API, Counted.SIGN_IN),
    Route("sign_in.begin", f"{_I}/sign-in/begin", _GET, Surface.BROWSER_PROTOCOL, get_counts=True),
    Route("list_sessions", f"{_I}/list-sessions", _GET, Surface.SESSION_API, Counted.SESSIONS),
    Route("revoke_session", f"{_I}/revoke-session", _POST, Surface.SESSION_API, Counted.SESSIONS),
    Route("revoke_sessions", f"{_I}/revoke-sessions", _POST, Surface.SESSION_API, Counted.SESSIONS),
    Route(
        "revoke_other_sessions",
        f"{_I}/revoke-other-sessions",
        _POST,
        Surface.SESSION_API,
        Counted.SESSIONS,
    ),
    Route(
        "session_token",
        f"{_I}/token",
        _GET,
        Surface.SESSION_API,
        Counted.UNKNOWN_SESSIONS,
        get_counts=True,
    ),
    Route(
        "consents.public_client",
        f"{_I}/oauth2/public-client",
        _GET,
        Surface.SESSION_API,
        Counted.SESSIONS,
    ),
    Route("consents.get", f"{_I}/oauth2/get-consents", _GET, Surface.SESSION_API, Counted.SESSIONS),
    Route(
        "consents.delete",
        f"{_I}/oauth2/delete-consent",
        _POST,
        Surface.SESSION_API,
        Counted.SESSIONS,
    ),
    Route("ok", f"{_I}/ok", _GET, Surface.SESSION_API, Counted.NONE),
    Route(
        "callback",
        f"{_I}/callback/{{provider_id}}",
        _GET,
        Surface.BROWSER_PROTOCOL,
        Counted.BY_VIEW,
        get_counts=True,
    ),
    Route(PROVIDER_WEBHOOK, WEBHOOK_PATH, _POST, Surface.PROVIDER, Counted.BY_VIEW),
    # Forward authentication
    Route(
        "forward.auth_request", f"{_I}/forward/auth-request", _GET, Surface.PROXY, Counted.BY_VIEW
    ),
    Route(
        "forward.forward_auth", f"{_I}/forward/forward-auth", _GET, Surface.PROXY, Counted.BY_VIEW
    ),
    # Pages
    Route("landing", "/", _GET, Surface.PAGE),
    Route("sign_in", "/sign-in", _GET_POST, Surface.PAGE),
    Route("consent", "/consent", _GET_POST, Surface.PAGE),
    Route("sign_out_page", "/sign-out", _POST, Surface.PAGE),
    Route("signed_out", "/signed-out", _GET, Surface.PAGE),
    Route("account", "/account", _GET, Surface.PAGE),
    Route("account.end_session", "/account/end-session", _POST, Surface.PAGE),
    Route("account.disconnect", "/account/disconnect", _POST, Surface.PAGE),
    Route("account.sign_out_everywhere", "/account/sign-out-everywhere", _POST, Surface.PAGE),
    Route("error", "/error", _GET, Surface.PAGE),
)

# What of a path that is not in the table is not known beforehand.
_VARIABLE = re.compile(r"{.*}")

BY_NAME = {route.name: route for route in ROUTES}
SURFACES = {route.path: route.surface for route in ROUTES}


def includeme(config: Any) -> None:
    """Register the routes in the order of the table."""
    for route in ROUTES:
        config.add_route(route.name, route.path)


def known_method(request: Any) -> str | None:
    """Return the method, or None for one that the service does not know."""
    return request.method if request.method in _METHODS else None


def known_path(request: Any) -> str | None:
    """Return the path as the table writes it, or None: never a value from outside."""
    matched = getattr(request, "matched_route", None)
    if matched is None:
        return None
    pattern: str = matched.pattern
    return _VARIABLE.sub("*", pattern) if matched.name not in BY_NAME else pattern


def surface_of(request: Any) -> Surface | None:
    """Return the surface that a request belongs to, or None where there is none.

    What is unknown below the issuer is of the session API, whose npm client has methods for many
    endpoints that are not here.
    """
    route = of_request(request)
    if route is not None:
        return route.surface
    # One that was refused before it came to its route has a path all the same.
    path: str = request.environ.get("PATH_INFO", "")
    unknown = Surface.SESSION_API if path.startswith(f"{ISSUER_PATH}/") else None
    return SURFACES.get(path, unknown)


def of_request(request: Any) -> Route | None:
    """Return the route that a request matched."""
    matched = getattr(request, "matched_route", None)
    return None if matched is None else BY_NAME.get(matched.name)
