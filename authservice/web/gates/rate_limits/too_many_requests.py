"""The answer to a request that is one too many."""

from pyramid.response import Response

from authservice.oauth.protocol_answer import NO_STORE, ProtocolAnswer, error_body
from authservice.web import routes
from authservice.web.gates.rate_limits.counts import TooManyRequestsError
from authservice.web.json_answer import error_json
from authservice.web.pages.pages import error_page
from authservice.web.pages.texts import DOMAIN, _
from authservice.web.protocol_response import protocol_response
from authservice.web.request import AuthRequest
from authservice.web.routes import Surface


def too_many_requests(error: TooManyRequestsError, request: AuthRequest) -> Response:
    """Say when to try again, in the form that the caller understands (an exception view)."""
    route = routes.of_request(request)
    surface = route.surface if route else Surface.PAGE
    if surface in routes.WORDED_AS_OAUTH:
        body = error_body("temporarily_unavailable", "Too many requests: try again later.")
        response = protocol_response(ProtocolAnswer(429, NO_STORE, body))
    elif surface in {Surface.SESSION_API, Surface.PROVIDER}:
        response = error_json(429, "Too many requests: try again later", "TOO_MANY_REQUESTS")
    else:
        response = error_page(
            request,
            429,
            _("Please wait a moment"),
            _("There were too many requests from your network."),
            request.localizer.pluralize(
                "Wait ${seconds} second and load the page again.",
                "Wait ${seconds} seconds and load the page again.",
                error.retry_after,
                domain=DOMAIN,
                mapping={"seconds": error.retry_after},
            ),
            code="too_many_requests",
        )
    response.headers["Retry-After"] = str(error.retry_after)
    return response
