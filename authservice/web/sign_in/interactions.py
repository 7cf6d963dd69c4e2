"""Pending authorization requests on their way through our pages."""

from urllib.parse import parse_qsl, urlencode

from authservice import clock
from authservice.oauth import parameters
from authservice.oauth.authorize.authorization_request import AuthorizationRequest
from authservice.oauth.authorize.interaction import Visit
from authservice.oauth.authorize.pending import InteractionError, PendingRequest
from authservice.oauth.oauth_request import AUTHORIZATION, OAuthRequest
from authservice.oauth.parameters import Parameters
from authservice.oauth.server import server
from authservice.web.request.auth_request import AuthRequest
from authservice.web.server_context import server_context

AUTHORIZE_PATH = "/api/auth/oauth2/authorize"
PARAMETER = "interaction"
_PRESENCE = {"login", "select_account"}


def pending(request: AuthRequest, sealed: str) -> PendingRequest:
    """Return the request that a page's parameter holds; raises InteractionError.

    The page is shown in the languages of the request's ui_locales, even if it says that the request
    has expired.
    """
    try:
        waiting = PendingRequest.unseal(request.components.secret, request.known_browser, sealed)
    except InteractionError as error:
        request.ui_locales = _ui_locales(error.query or "")
        raise
    request.ui_locales = _ui_locales(waiting.query)
    return waiting


def sealed(request: AuthRequest, waiting: PendingRequest) -> str:
    """Return the request as a parameter for this browser's pages."""
    return waiting.seal(request.components.secret, request.browser)


def page_address(request: AuthRequest, path: str, interaction: str) -> str:
    """Return the address of a page, or of the authorization endpoint, for an interaction."""
    return f"{request.auth_settings.auth_url}{path}?{urlencode({PARAMETER: interaction})}"


def renewed(request: AuthRequest, sealed_request: str) -> str:
    """Return a parameter for the same request, which starts again if it only has expired here.

    Nothing is chosen then and nothing declined, and no sign-in before this moment is new enough.
    Raises InteractionError, and what a request raises that the client may no longer make.
    """
    try:
        waiting = pending(request, sealed_request)
    except InteractionError as error:
        if not (error.by_itself and error.query):
            raise
        waiting = PendingRequest(error.query, Visit(clock.now()))
    validated(request, waiting)
    return sealed(request, waiting)


def started_again(request: AuthRequest, error: InteractionError) -> str | None:
    """Return where the request of an interaction starts again in this browser, if it may."""
    url = f"{request.auth_settings.auth_url}{AUTHORIZE_PATH}?{error.query}"
    return url if error.starts_again else None


def sent_parameters(waiting: PendingRequest) -> Parameters:
    """Return the parameters of a pending request as the client sent them."""
    return Parameters.read(parse_qsl(waiting.query), parameters.AUTHORIZE)


def wants_presence(request: AuthRequest, sealed: str) -> bool:
    """Tell whether the client wants the person to be there, and not only to be known.

    That is what prompt=login, prompt=select_account and max_age mean (OIDC Core, 3.1.2.1).
    """
    query = dict(parse_qsl(pending(request, sealed).query))
    return "max_age" in query or not _PRESENCE.isdisjoint(query.get("prompt", "").split())


def _ui_locales(query: str) -> str | None:
    return dict(parse_qsl(query)).get("ui_locales")


def validated(request: AuthRequest, waiting: PendingRequest) -> AuthorizationRequest:
    """Return the pending request, checked again: its client may have changed since."""
    sent = sent_parameters(waiting)
    oauth_request = OAuthRequest(AUTHORIZATION, server_context(request), None, sent)
    return server.validate_authorization_request(oauth_request)
