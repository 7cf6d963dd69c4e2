"""The way back to the client for whose authorization request somebody signs in."""

from authservice.oauth.authorize.fatal_error import FatalAuthorizationError
from authservice.oauth.authorize.pending import InteractionError
from authservice.oauth.authorize.response import AuthorizationRefusedError, refuse
from authservice.web.pages.refusal import WayBack
from authservice.web.request import AuthRequest
from authservice.web.sign_in import interactions
from authservice.web.sign_in.return_target import OAuthReturn, ReturnTarget

_DESCRIPTION = "The user may not sign in."


def access_denied(request: AuthRequest, target: ReturnTarget) -> WayBack | None:
    """Return the way back that tells a client of a refusal; None where none waits any more."""
    if not isinstance(target, OAuthReturn):
        return None
    try:
        waiting = interactions.pending(request, target.interaction)
        authorization_request = interactions.validated(request, waiting)
    except (InteractionError, FatalAuthorizationError, AuthorizationRefusedError):
        return None
    answer = refuse(
        authorization_request, request.auth_settings.issuer, "access_denied", _DESCRIPTION
    )
    return WayBack(
        client_name=authorization_request.client.name or authorization_request.client.client_id,
        answer=answer,
    )
