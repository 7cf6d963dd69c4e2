"""GET /account and its forms: where a person is signed in, what they have allowed, ending both."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from pyramid.response import Response
from pyramid.view import view_config

from authservice import clock
from authservice.services.revocation import connected_applications
from authservice.services.revocation.connected_applications import ConnectedApplication
from authservice.services.sessions import sessions
from authservice.services.sessions.sessions import CentralSession
from authservice.web.answers import see_other
from authservice.web.gates import provenance
from authservice.web.pages.missing_address import missing_address
from authservice.web.pages.pages import page
from authservice.web.pages.scope_texts import resource_texts, scope_texts
from authservice.web.pages.user_agent import UserAgent
from authservice.web.request.auth_request import AuthRequest
from authservice.web.request.body import form_pairs
from authservice.web.session import session_end
from authservice.web.sign_in.sign_in_page import host_or_scheme

_AT_ONCE = 10
_RECENT = timedelta(days=1)
# What the page may say that has just been done.
_DONE = frozenset({"session-ended", "disconnected"})


@view_config(route_name="account", request_method="GET")
def account(request: AuthRequest) -> Response:
    """Show the person's sessions and connected applications, some of them at a time."""
    session = request.confirmed_session
    if session is None:
        return see_other(f"{request.auth_settings.auth_url}/sign-in?callbackURL=%2Faccount")
    connected = connected_applications.of_user(request.db_readonly, session.user.id)
    signed_in = sessions.count_of_user(request.db_readonly, session.user.id)
    session_part = _Part.requested(request, "sessions", signed_in)
    application_part = _Part.requested(request, "applications", len(connected))
    shown = sessions.page_of_user(
        request.db_readonly, session, at_most=_AT_ONCE, beyond=session_part.beyond
    )
    some = connected[application_part.beyond : application_part.beyond + _AT_ONCE]
    values = {
        "user": session.user,
        "missing_address": missing_address(request, session.user),
        "csrf_token": provenance.form_token(request),
        "done": request.GET.get("done") if request.GET.get("done") in _DONE else None,
        "sessions": [_session_values(each, session) for each in shown],
        "session_part": session_part,
        "applications": [_application_values(request, each, session) for each in some],
        "application_part": application_part,
        "recent": clock.now() - _RECENT,
    }
    response = page(request, "account", values)
    # Here alone: on any page or redirect of a sign-in it would take the popup from its opener.
    response.headers["Cross-Origin-Opener-Policy"] = "same-origin"
    return response


@view_config(route_name="account.end_session", request_method="POST")
def end_session(request: AuthRequest) -> Response:
    """End one of the person's own sessions; another id, or one that has ended, has no effect."""
    session = request.confirmed_session
    if session is None:
        return _signed_out(request)
    ending = sessions.find_by_id(request.db_readonly, dict(form_pairs(request)).get("session", ""))
    if ending is None or ending.user.id != session.user.id:
        return _account(request)
    session_end.end_sessions(request, [ending.id])
    if ending.id != session.id:
        return _account(request, done="session-ended")
    response = _signed_out(request)
    request.cookies_of_service.clear_session(response)
    return response


@view_config(route_name="account.disconnect", request_method="POST")
def disconnect(request: AuthRequest) -> Response:
    """Take an application's access back: its consent and all its tokens."""
    session = request.confirmed_session
    if session is None:
        return _signed_out(request)
    client_id = dict(form_pairs(request)).get("client_id", "")
    done = connected_applications.disconnect(request.transaction, session.user.id, client_id)
    return _account(request, done="disconnected") if done else _account(request)


@view_config(route_name="account.sign_out_everywhere", request_method="POST")
def sign_out_everywhere(request: AuthRequest) -> Response:
    """End every session of the person and the access of every application."""
    session = request.confirmed_session
    if session is None:
        return _signed_out(request)
    response = _signed_out(request, everywhere="yes")
    return session_end.sign_out_everywhere(request, session.user.id, response)


@dataclass(frozen=True, slots=True)
class _Part:
    """Which part of a list is shown, counted from 1, and of how many."""

    number: int
    count: int

    @classmethod
    def requested(cls, request: AuthRequest, name: str, length: int) -> "_Part":
        """Return the part that a parameter of the query names, or the nearest that there is."""
        text = request.GET.get(name, "")
        number = int(text) if text.isascii() and text.isdigit() and len(text) < _AT_ONCE else 1
        count = max(1, -(-length // _AT_ONCE))
        return cls(min(max(1, number), count), count)

    @property
    def beyond(self) -> int:
        """Return how many entries stand before this part."""
        return (self.number - 1) * _AT_ONCE


def _session_values(each: CentralSession, current: CentralSession) -> dict[str, Any]:
    return {
        "id": each.id,
        "device": UserAgent.of_header(each.user_agent),
        "address": each.ip_address,
        "current": each.id == current.id,
        "last_seen": each.updated_at,
        "signed_in": each.created_at,
    }


def _application_values(
    request: AuthRequest, each: ConnectedApplication, session: CentralSession
) -> dict[str, Any]:
    consent, settings = each.consent, request.auth_settings
    allowed = (consent.resources or ()) if consent else ()
    return {
        "client_id": each.client_id,
        "name": each.name or each.client_id,
        "host": host_or_scheme(each.redirect_uris[0]),
        "scopes": scope_texts(consent.scopes, session.user, settings) if consent else None,
        "resources": resource_texts(
            allowed, consent.scopes if consent else (), settings, request.locale_name
        ),
        "since": consent.created_at if consent else None,
        "last_seen": each.last_seen,
    }


def _account(request: AuthRequest, **query: str) -> Response:
    return see_other(_address(request, "/account", query))


def _signed_out(request: AuthRequest, **query: str) -> Response:
    return see_other(_address(request, "/signed-out", query))


def _address(request: AuthRequest, path: str, query: dict[str, str]) -> str:
    return f"{request.auth_settings.auth_url}{path}{'?' if query else ''}{urlencode(query)}"
