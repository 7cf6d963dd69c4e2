"""Requests to the protocol's endpoints, as the authorization server takes them."""

from authservice.oauth.request import Endpoint, OAuthRequest
from authservice.web.request import AuthRequest
from authservice.web.request_body import form_pairs


def oauth_request(request: AuthRequest, endpoint: Endpoint) -> OAuthRequest:
    """Return what a program sent; raises BadBodyError."""
    form = form_pairs(request) if request.method == "POST" else []
    authorization = request.environ.get("HTTP_AUTHORIZATION")
    return OAuthRequest.read(endpoint, request.server_context, authorization, form)
