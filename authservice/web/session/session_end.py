"""Ending sessions from the web: in the request's transaction, and telling clients afterwards."""

from collections.abc import Sequence

from pyramid.response import Response

from authservice.services.sessions import sessions
from authservice.services.tokens import refresh_tokens
from authservice.web.request.auth_request import AuthRequest


def end_sessions(request: AuthRequest, session_ids: Sequence[str]) -> None:
    """End sessions; clients that want a notice get it once the transaction is committed."""
    if not session_ids:
        return
    sessions.end(request.transaction, session_ids)
    tell_clients(request)


def tell_clients(request: AuthRequest) -> None:
    """Have clients told of the sessions that the transaction ends, once it is committed."""
    # Called after the answer was made, and so after the commit.
    request.add_response_callback(_wake)


def _wake(request: AuthRequest, _response: Response) -> None:
    request.components.backchannel_logout.wake()


def sign_out_everywhere(request: AuthRequest, user_id: str, response: Response) -> Response:
    """End all sessions of a person and the access of all applications; clear the cookies."""
    live = sessions.of_user(request.db_readonly, user_id)
    end_sessions(request, [each.id for each in live])
    refresh_tokens.revoke_of_user(request.db, user_id)
    request.cookies_of_service.clear_session(response)
    return response


def end_presented_sessions(request: AuthRequest, response: Response) -> Response:
    """End every session that the request's cookies name, and clear the cookies."""
    tokens = request.cookies_of_service.session_tokens(request.cookie_header)
    end_sessions(request, list(sessions.ids_of_tokens(request.db_readonly, tokens).values()))
    request.cookies_of_service.clear_session(response)
    return response
