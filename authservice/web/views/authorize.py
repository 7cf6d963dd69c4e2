"""GET and POST oauth2/authorize: every way through the pages begins and ends here."""

from dataclasses import replace
from urllib.parse import urlencode

from pyramid.response import Response
from pyramid.view import view_config

from authservice import clock
from authservice.oauth import parameters
from authservice.oauth.authorization_request import AuthorizationRequest
from authservice.oauth.interaction import Consent, Issue, Refuse, SignIn, Visit, next_interaction
from authservice.oauth.parameters import Parameters
from authservice.oauth.pending_request import PendingRequest
from authservice.services import consents
from authservice.web import interactions, posted_request
from authservice.web.authorization_answer import authorization_answer
from authservice.web.redirects import see_other
from authservice.web.request import AuthRequest
from authservice.web.request_body import BadBodyError, form_pairs, query_pairs
from authservice.web.session_extension import extended_when_due

# Sealed for the pages it grows by a third, and has to fit into an address then too.
_MAX_REQUEST = 16 * 1024


# No form token: clients send people here from their own pages (OIDC Core, 3.1.2.1).
@view_config(route_name="oauth2.authorize", request_method="POST", require_csrf=False)
def authorize_by_post(request: AuthRequest) -> Response:
    """Send the same request again by GET: a cross-site POST brings no session cookie.

    One that fits into no address is kept, and the browser is sent with a reference to it.
    """
    pairs = form_pairs(request)
    query = urlencode(pairs)
    if len(query) > _MAX_REQUEST:
        sent = Parameters.read(pairs, parameters.AUTHORIZE)
        # What is refused for every person is refused here, and not kept.
        request.authorization_server.validate_authorization_request(sent)
        query = urlencode({posted_request.PARAMETER: posted_request.keep(request, sent.encoded())})
    return see_other(f"{request.auth_settings.auth_url}{interactions.AUTHORIZE_PATH}?{query}")


@view_config(route_name="oauth2.authorize", request_method="GET")
def authorize(request: AuthRequest) -> Response:
    """Answer an authorization request, or lead to the page where the person's word is needed."""
    sent, waiting = _sent_and_waiting(request)
    visit = waiting.visit
    server = request.authorization_server
    asked = server.validate_authorization_request(sent).without(visit.declined)
    match _next_step(request, asked, visit):
        case Issue(session):
            extended_when_due(request)
            answer = server.issue_code(asked, session)
            if answer is not None:
                return authorization_answer(request, answer)
            # What has changed since is found when all is looked at again.
            path = interactions.AUTHORIZE_PATH
        case Refuse(error, description):
            answer = server.refuse(asked, error, description)
            return authorization_answer(request, answer)
        case SignIn():
            path = "/sign-in"
        case Consent():
            path = "/consent"
    interaction = interactions.sealed(request, replace(waiting, query=sent.encoded()))
    return see_other(interactions.page_address(request, path, interaction))


def _sent_and_waiting(request: AuthRequest) -> tuple[Parameters, PendingRequest]:
    """Return what the client sent, and how far the request has come; its query may be blank yet.

    It comes from the client, from our pages, or from where it was kept after a POST.
    """
    pairs = query_pairs(request)
    names = dict(pairs)
    if "client_id" not in names:
        if interactions.PARAMETER in names:
            waiting = interactions.pending(request, names[interactions.PARAMETER])
            return interactions.asked(waiting), waiting
        if posted_request.PARAMETER in names:
            reference = names[posted_request.PARAMETER]
            query = posted_request.claim(request, reference)
            waiting = PendingRequest(query, Visit(clock.now()), reference)
            return interactions.asked(waiting), waiting
    if len(request.environ["QUERY_STRING"]) > _MAX_REQUEST:
        raise BadBodyError(414, "URI_TOO_LONG", f"The query is longer than {_MAX_REQUEST} bytes.")
    return Parameters.read(pairs, parameters.AUTHORIZE), PendingRequest("", Visit(clock.now()))


def _next_step(
    request: AuthRequest, asked: AuthorizationRequest, visit: Visit
) -> SignIn | Consent | Issue | Refuse:
    session = request.confirmed_session
    consent = None
    if session is not None:
        consent = consents.find(request.db_readonly, asked.client.client_id, session.user.id)
    local_mode = request.auth_settings.local_mode
    return next_interaction(asked, session, consent, visit, local_mode=local_mode)
