"""GET and POST oauth2/authorize: every way through the pages begins and ends here."""

from dataclasses import replace
from urllib.parse import urlencode

from pyramid.response import Response
from pyramid.view import view_config

from authservice import clock, events
from authservice.events import AccessRefused
from authservice.oauth import parameters
from authservice.oauth.authorize.authorization_request import AuthorizationRequest
from authservice.oauth.authorize.authorization_response import AuthorizationResponse, refuse
from authservice.oauth.authorize.interaction import (
    NOT_FOR_USER,
    Consent,
    Interaction,
    Issue,
    Refuse,
    SignIn,
    Visit,
    WrongPerson,
    next_interaction,
)
from authservice.oauth.authorize.pending import PendingRequest
from authservice.oauth.oauth_request import AUTHORIZATION, OAuthRequest
from authservice.oauth.parameters import Parameters
from authservice.oauth.server import server
from authservice.services.admission import client_rules
from authservice.services.people import consents
from authservice.web.answers import see_other
from authservice.web.pages.pages import authorization_answer
from authservice.web.request.auth_request import AuthRequest
from authservice.web.request.body import BadBodyError, form_pairs, query_pairs
from authservice.web.server_context import server_context
from authservice.web.session.session_extension import extended_when_due
from authservice.web.sign_in import interactions
from authservice.web.sign_in.wrong_person import wrong_person_page

# Sealed for the pages it grows by a third, and has to fit into an address then too.
_MAX_REQUEST = 16 * 1024


# No form token: clients send people here from their own pages (OIDC Core, 3.1.2.1).
@view_config(route_name="oauth2.authorize", request_method="POST", require_csrf=False)
def authorize_by_post(request: AuthRequest) -> Response:
    """Send the same request again by GET: a cross-site POST brings no session cookie."""
    query = urlencode(form_pairs(request))
    if len(query) > _MAX_REQUEST:
        message = f"The form is longer than {_MAX_REQUEST} bytes."
        raise BadBodyError(413, "PAYLOAD_TOO_LARGE", message)
    return see_other(f"{request.auth_settings.auth_url}{interactions.AUTHORIZE_PATH}?{query}")


@view_config(route_name="oauth2.authorize", request_method="GET")
def authorize(request: AuthRequest) -> Response:
    """Answer an authorization request, or redirect to the page that asks the person."""
    sent, waiting = _sent_and_waiting(request)
    visit = waiting.visit
    oauth_request = OAuthRequest(AUTHORIZATION, server_context(request), None, sent)
    authorization_request = server.validate_authorization_request(oauth_request).without(
        visit.declined, request.auth_settings.resources
    )
    match _next_step(request, authorization_request, visit):
        case Issue(session):
            extended_when_due(request)
            answer = server.create_authorization_response(
                oauth_request, authorization_request, session
            )
            if answer is not None:
                return authorization_answer(request, answer)
            # Something has changed since: the next request checks everything again.
            path = interactions.AUTHORIZE_PATH
        case Refuse() as refusal:
            return authorization_answer(request, _refused(request, authorization_request, refusal))
        case SignIn():
            path = "/sign-in"
        case Consent():
            path = "/consent"
        case WrongPerson(session):
            answer = _refused(request, authorization_request, NOT_FOR_USER)
            interaction = interactions.sealed(request, replace(waiting, query=sent.encoded()))
            return wrong_person_page(
                request, authorization_request, session.user, answer, interaction
            )
    interaction = interactions.sealed(request, replace(waiting, query=sent.encoded()))
    return see_other(interactions.page_address(request, path, interaction))


def _refused(
    request: AuthRequest, authorization_request: AuthorizationRequest, refusal: Refuse
) -> AuthorizationResponse:
    if refusal is NOT_FOR_USER and request.confirmed_session is not None:
        client_id = authorization_request.client.client_id
        events.log(AccessRefused(sub=request.confirmed_session.user.id, client_id=client_id))
    issuer = request.auth_settings.issuer
    return refuse(authorization_request, issuer, refusal.error, refusal.description)


def _sent_and_waiting(request: AuthRequest) -> tuple[Parameters, PendingRequest]:
    """Return what the client sent, and how far the request has come; its query may be blank yet.

    It comes from the client, or from our pages.
    """
    pairs = query_pairs(request)
    names = dict(pairs)
    if "client_id" not in names and interactions.PARAMETER in names:
        waiting = interactions.pending(request, names[interactions.PARAMETER])
        return interactions.sent_parameters(waiting), waiting
    if len(request.environ["QUERY_STRING"]) > _MAX_REQUEST:
        raise BadBodyError(414, "URI_TOO_LONG", f"The query is longer than {_MAX_REQUEST} bytes.")
    return Parameters.read(pairs, parameters.AUTHORIZE), PendingRequest("", Visit(clock.now()))


def _next_step(
    request: AuthRequest, authorization_request: AuthorizationRequest, visit: Visit
) -> Interaction:
    session = request.confirmed_session
    client = authorization_request.client
    consent, is_for_user = None, True
    if session is not None:
        reader, user_id = request.db_readonly, session.user.id
        consent = consents.find(reader, client.client_id, user_id)
        is_for_user = client_rules.allows(reader, request.auth_settings, client.allow, user_id)
    return next_interaction(
        authorization_request,
        session,
        consent,
        visit,
        is_for_user=is_for_user,
        local_mode=request.auth_settings.local_mode,
    )
