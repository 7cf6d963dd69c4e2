"""What clients call of OAuth and OpenID Connect: token endpoint and others, metadata and keys."""

from pyramid.response import Response
from pyramid.view import view_config

from authservice.oauth.oauth_request import (
    INTROSPECTION,
    REVOCATION,
    TOKEN,
    USERINFO,
    Endpoint,
    OAuthRequest,
)
from authservice.oauth.server import server
from authservice.web.answers import protocol_response
from authservice.web.request.auth_request import AuthRequest
from authservice.web.request.body import form_pairs
from authservice.web.server_context import server_context
from authservice.web.static_document import document_answer


# No form tokens: clients authenticate themselves or hold an access token, and cookies are not read.
@view_config(route_name="oauth2.token", request_method="POST", require_csrf=False)
def token(request: AuthRequest) -> Response:
    """Answer a token request: a code or a refresh token into tokens (RFC 6749, section 3.2)."""
    return protocol_response(server.create_token_response(_oauth_request(request, TOKEN)))


@view_config(route_name="oauth2.introspect", request_method="POST", require_csrf=False)
def introspect(request: AuthRequest) -> Response:
    """Tell a client that has a secret whether a token is active (RFC 7662, section 2)."""
    return protocol_response(
        server.create_introspect_response(_oauth_request(request, INTROSPECTION))
    )


@view_config(route_name="oauth2.revoke", request_method="POST", require_csrf=False)
def revoke(request: AuthRequest) -> Response:
    """Take a token back from the client it belongs to (RFC 7009, section 2)."""
    return protocol_response(server.create_revocation_response(_oauth_request(request, REVOCATION)))


@view_config(route_name="oauth2.userinfo", request_method=("GET", "POST"), require_csrf=False)
def userinfo(request: AuthRequest) -> Response:
    """Return the claims behind an access token (OIDC Core, section 5.3)."""
    return protocol_response(server.create_userinfo_response(_oauth_request(request, USERINFO)))


@view_config(route_name="well_known.openid_configuration", request_method="GET")
@view_config(route_name="well_known.oauth_authorization_server", request_method="GET")
@view_config(route_name="well_known.path_inserted", request_method="GET")
def metadata(request: AuthRequest) -> Response:
    """Return what this server is able to do (OIDC Discovery, 4.2; RFC 8414, 3.2)."""
    return document_answer(request, request.components.metadata)


@view_config(route_name="jwks", request_method="GET")
def jwks(request: AuthRequest) -> Response:
    """Return the public signing keys as a JSON Web Key Set (RFC 7517, section 5)."""
    return document_answer(request, request.signing_keys.document)


def _oauth_request(request: AuthRequest, endpoint: Endpoint) -> OAuthRequest:
    """Return what a client sent; raises BadBodyError."""
    form = form_pairs(request) if request.method == "POST" else []
    authorization = request.environ.get("HTTP_AUTHORIZATION")
    return OAuthRequest.read(endpoint, server_context(request), authorization, form)
