"""GET and POST /consent: whether a client may have what it asks for."""

from typing import Any

from pyramid.response import Response
from pyramid.view import view_config

from authservice import events
from authservice.events import ConsentRefused
from authservice.oauth.authorize.authorization_request import AuthorizationRequest
from authservice.oauth.authorize.authorization_response import refuse
from authservice.oauth.authorize.consent import remember
from authservice.services.people.users import User
from authservice.web.answers import see_other
from authservice.web.gates import provenance
from authservice.web.pages.missing_address import missing_address
from authservice.web.pages.pages import authorization_answer, page
from authservice.web.pages.scope_texts import resource_texts, scope_texts
from authservice.web.request.auth_request import AuthRequest
from authservice.web.request.body import form_pairs
from authservice.web.sign_in import interactions
from authservice.web.sign_in.sign_in_page import host_or_scheme

# The page first asks for everything at once. Who wants less asks for boxes, which are a form of
# their own: so "allow" means all that was shown, whatever a form sends or leaves out with it.
_CHOOSING = "choose"
_ALLOW = "allow"
_ALLOW_TICKED = "allow-ticked"


@view_config(route_name="consent", request_method="GET")
def consent(request: AuthRequest) -> Response:
    """Show which client asks for what; without a session, go back to the authorization request."""
    interaction = request.GET.get(interactions.PARAMETER, "")
    authorization_request = interactions.validated(
        request, interactions.pending(request, interaction)
    )
    session = request.confirmed_session
    if session is None:
        return _back_to_authorize(request, interaction)
    values = _values(request, authorization_request, session.user, interaction)
    return page(request, "consent", values, form_leaves=True)


@view_config(route_name="consent", request_method="POST")
def consent_submitted(request: AuthRequest) -> Response:
    """Store a yes and continue; tell the client a no."""
    pairs = form_pairs(request)
    fields = dict(pairs)
    interaction = fields.get(interactions.PARAMETER, "")
    waiting = interactions.pending(request, interaction)
    authorization_request = interactions.validated(request, waiting)
    session = request.confirmed_session
    if session is None:
        return _back_to_authorize(request, interaction)
    decision = fields.get("decision")
    ticked = {value for name, value in pairs if name == "scope"}
    offered = authorization_request.optional_scopes if decision == _ALLOW_TICKED else ()
    declined = tuple(scope for scope in offered if scope not in ticked)
    # Who unticks everything allows nothing.
    left = authorization_request.without(declined, request.auth_settings.resources)
    if decision in {_ALLOW, _ALLOW_TICKED} and left.scopes:
        remember(request.transaction, authorization_request, session.user.id, left)
        narrowed = interactions.sealed(request, waiting.narrowed_by(declined))
        return _back_to_authorize(request, narrowed)
    if decision == "deny" or not left.scopes:
        events.log(
            ConsentRefused(sub=session.user.id, client_id=authorization_request.client.client_id)
        )
        description = "The user did not allow what was asked for."
        answer = refuse(
            authorization_request, request.auth_settings.issuer, "access_denied", description
        )
        return authorization_answer(request, answer)
    return see_other(_address(request, interaction))


def _address(request: AuthRequest, interaction: str) -> str:
    return interactions.page_address(request, "/consent", interaction)


def _back_to_authorize(request: AuthRequest, interaction: str) -> Response:
    return see_other(interactions.page_address(request, interactions.AUTHORIZE_PATH, interaction))


def _values(
    request: AuthRequest, authorization_request: AuthorizationRequest, user: User, interaction: str
) -> dict[str, Any]:
    choosing = _CHOOSING in request.GET
    choose = bool(authorization_request.optional_scopes) and not choosing
    return {
        "client_name": authorization_request.client.name or authorization_request.client.client_id,
        "client_host": host_or_scheme(authorization_request.redirect_uri),
        "user": user,
        "scopes": scope_texts(
            authorization_request.consent_scopes,
            user,
            request.auth_settings,
            missing_address(request, user),
        ),
        "resources": resource_texts(
            authorization_request.resources,
            authorization_request.consent_scopes,
            request.auth_settings,
            request.locale_name,
        ),
        "optional": authorization_request.optional_scopes if choosing else (),
        "choose_url": f"{_address(request, interaction)}&{_CHOOSING}=yes" if choose else None,
        "interaction": interaction,
        "csrf_token": provenance.form_token(request),
        "switch_account_url": interactions.page_address(request, "/sign-in", interaction),
    }
