"""GET /error: what went wrong, where an application sends people with an error code."""

import re

from pyramid.response import Response
from pyramid.view import view_config

from authservice.web.pages.pages import error_page
from authservice.web.pages.texts import _
from authservice.web.request.auth_request import AuthRequest

_CODE = re.compile(r"[A-Za-z0-9_-]{1,64}")


@view_config(route_name="error", request_method="GET")
def error(request: AuthRequest) -> Response:
    """Show the error page; a code of another form than ours is not repeated."""
    code = request.GET.get("error", "")
    return error_page(
        request,
        400,
        _("Something went wrong"),
        _("The sign-in could not be finished."),
        _("Go back to the application and try again."),
        code=code if _CODE.fullmatch(code) else "unknown",
    )
