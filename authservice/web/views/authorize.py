"""GET and POST oauth2/authorize: every way through the pages begins and ends here."""

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
from authservice.web import interactions
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
    """Send the same request again by GET: a cross-site POST brings no session cookie."""
    query = urlencode(form_pairs(request))
    return see_other(f"{request.auth_settings.auth_url}{interactions.AUTHORIZE_PATH}?{query}")


@view_config(route_name="oauth2.authorize", request_method="GET")
def authorize(request: AuthRequest) -> Response:
    """Answer an authorization request, or lead to the page where the person's word is needed."""
    sent, visit = _request_and_visit(request)
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
    interaction = interactions.sealed(request, PendingRequest(sent.encoded(), visit))
    return see_other(interactions.page_address(request, path, interaction))


def _request_and_visit(request: AuthRequest) -> tuple[Parameters, Visit]:
    """Return what the client sent, or what comes back from our pages, and when it first came."""
    pairs = query_pairs(request)
    names = dict(pairs)
    if interactions.PARAMETER in names and "client_id" not in names:
        waiting = interactions.pending(request, names[interactions.PARAMETER])
        return interactions.asked(waiting), waiting.visit
    if len(request.environ["QUERY_STRING"]) > _MAX_REQUEST:
        raise BadBodyError(414, "URI_TOO_LONG", f"The query is longer than {_MAX_REQUEST} bytes.")
    return Parameters.read(pairs, parameters.AUTHORIZE), Visit(clock.now())


def _next_step(
    request: AuthRequest, asked: AuthorizationRequest, visit: Visit
) -> SignIn | Consent | Issue | Refuse:
    session = request.confirmed_session
    consent = None
    if session is not None:
        consent = consents.find(request.db_readonly, asked.client.client_id, session.user.id)
    local_mode = request.auth_settings.local_mode
    return next_interaction(asked, session, consent, visit, local_mode=local_mode)
