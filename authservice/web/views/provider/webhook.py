"""POST provider/webhook: the identity provider says that somebody joined or left something.

The signature covers the body alone: neither the name of the event nor the id of the delivery. So an
event is a hint, and no more (authservice.identity_provider.github_app).
"""

import logging

from pyramid.response import Response
from pyramid.view import view_config

from authservice.crypto import body_signature
from authservice.web import routes
from authservice.web.answers import error_json, json_answer
from authservice.web.gates.rate_limits import by_sender
from authservice.web.request.auth_request import AuthRequest
from authservice.web.request.body import BadBodyError, json_object

_log = logging.getLogger(__name__)

_SIGNATURE = "HTTP_X_HUB_SIGNATURE_256"
_EVENT = "HTTP_X_GITHUB_EVENT"
# Every 401 names a scheme (RFC 9110, section 15.5.2).
_CHALLENGE = "X-Hub-Signature-256"
_ACCEPTED = 202


# No form token: the body is signed, and cookies are not read.
@view_config(route_name=routes.PROVIDER_WEBHOOK, request_method="POST", require_csrf=False)
def webhook(request: AuthRequest) -> Response:
    """Take an event, and act upon it after the answer."""
    app, secret = request.components.github_app, request.components.webhook_secret
    if app is None or secret is None:
        return error_json(404, "Not Found", "NOT_FOUND")
    body: bytes = request.body
    if not body_signature.is_signed(body, request.environ.get(_SIGNATURE, ""), secret):
        return _unsigned(request)
    if not body:
        raise BadBodyError(400, "BAD_REQUEST", "The body is not valid JSON")
    event = request.environ.get(_EVENT, "")
    app.events.take(event, json_object(request), body_signature.fingerprint(body))
    return json_answer({}, _ACCEPTED)


def _unsigned(request: AuthRequest) -> Response:
    by_sender.count_unsigned_event(request)
    # Nothing of what was sent: anybody may send it.
    _log.warning("refused an event that is not signed under PROVIDER_WEBHOOK_SECRET")
    response = error_json(401, "The signature is missing or wrong", "INVALID_SIGNATURE")
    response.headers["WWW-Authenticate"] = _CHALLENGE
    return response
