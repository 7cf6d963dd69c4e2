"""POST sessions: a browser that is signed in. DELETE sessions/{id}: one that is no more."""

from http.cookies import SimpleCookie
from typing import Any

from pyramid.response import Response

from authservice import clock
from authservice.events import SignedIn
from authservice.local_mode.control.errors import ControlError, unknown
from authservice.local_mode.control.fields import Fields
from authservice.local_mode.control.persons import named, user_of
from authservice.services.sessions import sessions
from authservice.services.sessions.sessions import CentralSession
from authservice.web.answers import json_answer
from authservice.web.session.session_end import end_sessions
from authservice.web.sign_in import admitting
from authservice.web.sign_in.admitting import OvertakenError


def post_session(request: Any) -> Response:
    """Begin a session, and return its cookies in each form in which a test may need them."""
    person = named(request, Fields.of(request, ["person"]))
    if not person.may_enter:
        raise ControlError(403, "This person may not enter", "person")
    began_at = clock.now()
    decided = admitting.judged(request, person.profile)
    if decided.admitted_by is None:
        raise ControlError(403, "The rules of admission do not let this person in", "person")
    user = user_of(request, person)
    try:
        admitting.confirm(request, user, person.profile, decided.admitted_by, began_at)
    except OvertakenError:
        raise ControlError(403, "The rules have refused this person just now", "person") from None
    session, token = sessions.create(
        request.db,
        user,
        request.auth_settings.lifetimes.session,
        ip_address=request.from_address,
        admitted_after=began_at,
    )
    request.transaction.note(
        SignedIn(sub=user.id, sid=session.id, provider=request.identity_provider.id, new_user=False)
    )
    bearer = Response()
    request.cookies_of_service.set_session(bearer, session, token)
    set_cookie = bearer.headers.getall("Set-Cookie")
    stored = [_stored(request, each, session) for each in set_cookie]
    return json_answer(
        {
            "session_id": session.id,
            "set_cookie": set_cookie,
            "cookie": "; ".join(f"{each['name']}={each['value']}" for each in stored),
            "storage_state": {"cookies": stored, "origins": []},
        }
    )


def delete_session(request: Any, session_id: str) -> Response:
    """End a session; its clients are told as always."""
    if sessions.find_by_id(request.db_readonly, session_id) is None:
        raise unknown("session", "id")
    end_sessions(request, [session_id])
    return Response(status=204)


def _stored(request: Any, set_cookie: str, session: CentralSession) -> dict[str, Any]:
    """Return a cookie as Playwright's storage state has it."""
    (cookie,) = SimpleCookie(set_cookie).values()
    return {
        "name": cookie.key,
        "value": cookie.value,
        "domain": cookie["domain"] or request.auth_settings.host,
        "path": cookie["path"],
        # By the browser's clock, which no program turns.
        "expires": (clock.machine() + (session.expires_at - session.updated_at)).timestamp(),
        "httpOnly": bool(cookie["httponly"]),
        "secure": bool(cookie["secure"]),
        "sameSite": cookie["samesite"],
    }
