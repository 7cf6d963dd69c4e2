"""Authorization responses on their way to the client: a redirect, or a form that posts itself."""

from pyramid.response import Response

from authservice.oauth.authorize.response import AuthorizationResponse
from authservice.web.pages.pages import page
from authservice.web.redirects import see_other
from authservice.web.request.auth_request import AuthRequest


def authorization_answer(request: AuthRequest, answer: AuthorizationResponse) -> Response:
    """Return what carries the answer to the client's redirect URI."""
    if answer.response_mode == "form_post":
        values = {"redirect_uri": answer.redirect_uri, "fields": list(answer.parameters.items())}
        return page(request, "form_post", values, form_leaves=True, own_script=True)
    return see_other(answer.location)
