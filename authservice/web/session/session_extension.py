"""The sliding lifetime: a session in use is extended, at most once in each interval."""

from dataclasses import replace

from pyramid.response import Response

from authservice.services.sessions import sessions
from authservice.services.sessions.sessions import CentralSession
from authservice.web.request.auth_request import AuthRequest
from authservice.web.request.presented_session import PresentedSession


def extended_when_due(request: AuthRequest) -> CentralSession | None:
    """Return the request's session, extended if that is due; the answer then sets the cookies.

    Of several requests that come together one extends it. To the others it is what they read.
    """
    presented = request.presented_session
    if presented is None:
        return None
    lifetimes = request.auth_settings.lifetimes
    if not sessions.is_extension_due(presented.session, lifetimes.session_update):
        return presented.session
    session = sessions.extend(
        request.db, presented.session, lifetimes.session, lifetimes.session_max
    )
    if session is None:
        # A sign-in may have renewed it: the old cookies must not replace the new ones.
        return presented.session
    extended = replace(presented, session=session)
    request.add_response_callback(
        lambda request, response: _set_cookies(request, response, extended)
    )
    return session


def _set_cookies(request: AuthRequest, response: Response, extended: PresentedSession) -> None:
    cookies = request.cookies_of_service
    cookies.extend_session(response, extended.session, extended.token)
    if request.confirms(extended):
        cookies.extend_companion(response, extended.session, extended.token)
