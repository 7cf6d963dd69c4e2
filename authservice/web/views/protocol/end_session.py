"""GET and POST oauth2/end-session, its confirmation, and the page that says it is done."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from pyramid.response import Response
from pyramid.view import exception_view_config, view_config

from authservice import clock
from authservice.oauth import parameters
from authservice.oauth.authorize.pending import STARTS_AGAIN
from authservice.oauth.logout import end_session as protocol
from authservice.oauth.logout.end_session import EndSessionError
from authservice.oauth.parameters import Parameters
from authservice.web.answers import see_other
from authservice.web.gates import provenance
from authservice.web.pages.pages import error_page, page
from authservice.web.pages.texts import _
from authservice.web.request.auth_request import AuthRequest
from authservice.web.request.body import form_pairs, query_pairs
from authservice.web.session.session_end import end_presented_sessions
from authservice.web.sign_in import way_back

# Different purposes: a request never counts as a confirmation.
_REQUEST = "end session request"
_CONFIRMATION = "end session confirmation"
_LIFETIME = timedelta(minutes=10)
_SEALED = "logout"


# No form token: clients send people here from their own pages, and nothing ends without a hint
# that proves the session, or a confirmation that carries one.
@view_config(route_name="oauth2.end_session", request_method="POST", require_csrf=False)
def end_session_by_post(request: AuthRequest) -> Response:
    """Send the request again by GET, sealed: a cross-site POST brings no session cookie."""
    # Repeated ones stay, to be refused where the request is checked.
    pairs = [pair for pair in form_pairs(request) if pair[0] in parameters.END_SESSION]
    return _asked_again(request, _seal(request, _REQUEST, {"pairs": pairs}))


@view_config(route_name="oauth2.end_session", request_method="GET")
def end_session(request: AuthRequest) -> Response:
    """End the session of this browser at a client's request, or ask the person."""
    # Whether or not its person is admitted: it is to end.
    stored = request.stored_session
    session = stored.session if stored else None
    pairs, left_open = _asked_for(request)
    sent = Parameters.read(pairs, parameters.END_SESSION)
    request.ui_locales = sent.get("ui_locales")
    end_session_request = protocol.validate(
        sent,
        session,
        request.db_readonly,
        request.auth_settings,
        request.signing_keys,
        # Frames of other sites get no cookies, and old browsers do not tell them apart.
        in_own_tab=request.environ.get("HTTP_SEC_FETCH_DEST", "document") == "document",
    )
    # What was only shown is shown again, and never carried out.
    shown_again = left_open and session is not None
    if not (end_session_request.confirmation_needed or shown_again):
        return _ended(request, end_session_request.return_to)
    client = end_session_request.client if end_session_request.leads_astray else None
    values = {
        "client_name": end_session_request.client_name,
        "application": way_back.home_of(client) if client else None,
        "user": session.user if session else None,
        "csrf_token": provenance.form_token(request),
        "request_token": _seal(
            request,
            _CONFIRMATION,
            {
                "return_to": end_session_request.return_to,
                "client_id": client and client.client_id,
                "pairs": pairs,
                "ui_locales": request.ui_locales,
            },
        ),
    }
    leaves = end_session_request.return_to is not None
    return page(request, "end_session", values, form_leaves=leaves)


@view_config(route_name="oauth2.end_session_confirm", request_method="POST")
def end_session_confirmed(request: AuthRequest) -> Response:
    """Do what the person decided."""
    fields = dict(form_pairs(request))
    sealed = fields.get(_SEALED, "")
    confirmation = _unseal(request, _CONFIRMATION, sealed)
    if confirmation is None:
        if _left_open(request, sealed) is None:
            raise EndSessionError("The confirmation was open for longer than a day.")
        return _asked_again(request, sealed)
    request.ui_locales = confirmation.get("ui_locales")
    if fields.get("decision") != "sign-out":
        return see_other(_own_page(request, "/"))
    return _ended(request, confirmation["return_to"], confirmation.get("client_id"))


@view_config(route_name="signed_out", request_method="GET")
def signed_out(request: AuthRequest) -> Response:
    """Say that the person is signed out."""
    client_id = request.GET.get("client_id")
    client = way_back.named(request, client_id) if client_id else None
    values = {
        "everywhere": request.GET.get("everywhere") == "yes",
        "application": way_back.home_of(client) if client else None,
    }
    return page(request, "signed_out", values)


@exception_view_config(EndSessionError)
def end_session_error(error: EndSessionError, request: AuthRequest) -> Response:
    """Say what is wrong with the sign-out link of an application, without a redirect."""
    return error_page(
        request,
        400,
        _("This sign-out link is not valid"),
        _("The application that sent you here made a mistake in its link."),
        _(
            "You can sign out on the start page. If it"
            " keeps happening, tell the application's developers what this page says."
        ),
        description=error.description,
        code="invalid_request",
        action=("/", _("Start page")),
    )


def _ended(request: AuthRequest, return_to: str | None, client_id: str | None = None) -> Response:
    named = {} if client_id is None else {"client_id": client_id}
    response = see_other(return_to or _own_page(request, "/signed-out", named))
    return end_presented_sessions(request, response)


def _asked_again(request: AuthRequest, sealed: str) -> Response:
    query = urlencode({_SEALED: sealed})
    return see_other(f"{request.auth_settings.issuer}/oauth2/end-session?{query}")


def _own_page(request: AuthRequest, path: str, query: Mapping[str, str] | None = None) -> str:
    """Return the address of a page in the language that the client prefers."""
    sent = {**(query or {})}
    if request.ui_locales is not None:
        sent["ui_locales"] = request.locale_name
    return f"{request.auth_settings.auth_url}{path}{'?' if sent else ''}{urlencode(sent)}"


def _asked_for(request: AuthRequest) -> tuple[list[tuple[str, str]], bool]:
    """Return the parameters of the request, and whether it is about a page that was left open."""
    pairs = query_pairs(request)
    sealed = dict(pairs).get(_SEALED)
    if sealed is None:
        return pairs, False
    sent = _unseal(request, _REQUEST, sealed)
    held = sent or _left_open(request, sealed) or {}
    return [(name, value) for name, value in held.get("pairs", [])], sent is None


def _left_open(request: AuthRequest, sealed: str) -> dict[str, Any] | None:
    """Return what a page, or the way to one, held within a day."""
    purposes = (_CONFIRMATION, _REQUEST)
    found = (_unseal(request, each, sealed, within=STARTS_AGAIN) for each in purposes)
    return next((held for held in found if held is not None), None)


def _seal(request: AuthRequest, purpose: str, content: dict[str, Any]) -> str:
    return request.components.secret.seal(purpose, content, clock.now() + _LIFETIME)


def _unseal(
    request: AuthRequest, purpose: str, sealed: str, *, within: timedelta = _LIFETIME
) -> dict[str, Any] | None:
    unsealed = request.components.secret.unseal(purpose, sealed, clock.now())
    if unsealed is None or clock.now() - (unsealed.expires_at - _LIFETIME) >= within:
        return None
    return unsealed.value
