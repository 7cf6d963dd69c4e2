"""POST sign-in/social: how an application begins a sign-in, without leaving its own page."""

from urllib.parse import urlencode

from pyramid.response import Response
from pyramid.view import view_config

from authservice.web import csrf, sign_in_attempt
from authservice.web.json_answer import error_json, json_answer
from authservice.web.request import AuthRequest
from authservice.web.request_body import json_object, optional_text
from authservice.web.return_target import FirstPartyReturn, RefusedReturnError


@view_config(route_name="sign_in.social", request_method="POST", require_csrf=False)
def sign_in_social(request: AuthRequest) -> Response:
    """Return the address at which the person signs in, and come back to callbackURL after."""
    # No form token: the Origin rule of the session API stands in its place.
    refused = csrf.refused_origin(request)
    if refused is not None:
        return refused
    asked = json_object(request)
    provider = optional_text(asked, "provider")
    if provider is None:
        return error_json(400, "[body.provider] is required", "VALIDATION_ERROR")
    if provider != request.identity_provider.id:
        return error_json(404, "Provider not found", "PROVIDER_NOT_FOUND")
    try:
        target = FirstPartyReturn.checked(
            request.components.origins,
            optional_text(asked, "callbackURL"),
            optional_text(asked, "errorCallbackURL"),
            optional_text(asked, "newUserCallbackURL"),
        )
    except RefusedReturnError as error:
        return error_json(403, error.message, error.code)
    redirect = asked.get("disableRedirect") is not True
    if request.auth_settings.local_mode:
        url = f"{request.auth_settings.auth_url}/sign-in?{urlencode(target.parameters())}"
        return json_answer({"url": url, "redirect": redirect})
    attempt = sign_in_attempt.new(target)
    url = sign_in_attempt.begin(request, attempt)
    response = json_answer({"url": url, "redirect": redirect})
    request.cookies_of_service.set_attempt(response, attempt.id)
    return response
