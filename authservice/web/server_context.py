"""What the endpoints of the authorization server are given of a request."""

from authservice.oauth.oauth_request import ServerContext
from authservice.web.gates.rate_limits import by_client
from authservice.web.request.auth_request import AuthRequest


def server_context(request: AuthRequest) -> ServerContext:
    """Return what the endpoints work with, read from the request when they need it."""
    return ServerContext(
        request.auth_settings,
        request.signing_keys,
        request.components.client_keys,
        request.components.secret,
        request.db_readonly,
        lambda: request.transaction,
        by_client.check_of(request),
        by_client.note_of(request),
    )
