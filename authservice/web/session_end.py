"""Ending sessions from the web: in the request's transaction, and telling clients afterwards."""

from collections.abc import Sequence

from pyramid.response import Response

from authservice.services import sessions
from authservice.web.request import AuthRequest


def end_sessions(request: AuthRequest, session_ids: Sequence[str]) -> None:
    """End sessions; clients that want to know are told once the transaction is committed."""
    sessions.end(request.db, session_ids)
    # Called after the answer was made, and so after the commit.
    request.add_response_callback(_wake)


def _wake(request: AuthRequest, _response: Response) -> None:
    request.components.backchannel_logout.wake()


def end_presented_sessions(request: AuthRequest, response: Response) -> Response:
    """End every session that the request's cookies name, and clear the cookies."""
    for token in request.cookies_of_service.session_tokens(request.cookie_header):
        end_sessions(request, sessions.ids_of_token(request.db_readonly, token))
    request.cookies_of_service.clear_session(response)
    return response
