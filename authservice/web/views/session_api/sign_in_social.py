"""POST sign-in/social: how an application begins a sign-in, without leaving its own page."""

from pyramid.response import Response
from pyramid.view import view_config

from authservice.web.answers import error_json, json_answer
from authservice.web.gates import provenance
from authservice.web.request.auth_request import AuthRequest
from authservice.web.request.body import json_object, optional_text
from authservice.web.sign_in import return_target
from authservice.web.sign_in.return_target import FirstPartyReturn, RefusedReturnError


@view_config(route_name="sign_in.social", request_method="POST", require_csrf=False)
def sign_in_social(request: AuthRequest) -> Response:
    """Return our address at which the browser begins a sign-in that returns to callbackURL."""
    # No form token: the Origin rule of the session API stands in its place.
    refused = provenance.refused_origin(request)
    if refused is not None:
        return refused
    body = json_object(request)
    provider = optional_text(body, "provider")
    if provider is None:
        return error_json(400, "[body.provider] is required", "VALIDATION_ERROR")
    if provider != request.identity_provider.id:
        return error_json(404, "Provider not found", "PROVIDER_NOT_FOUND")
    try:
        target = FirstPartyReturn.checked(
            request.components.origins,
            optional_text(body, "callbackURL"),
            optional_text(body, "errorCallbackURL"),
            optional_text(body, "newUserCallbackURL"),
            # Front ends name paths of their own.
            sender=request.environ.get("HTTP_ORIGIN"),
        )
    except RefusedReturnError as error:
        return error_json(403, error.message, error.code)
    settings = request.auth_settings
    # No script is ever told a state: the provider's address is for the browser itself, which gets
    # it when it goes to ours.
    address = return_target.sign_in_address if settings.local_mode else return_target.begin_address
    redirect = body.get("disableRedirect") is not True
    return json_answer({"url": address(target, settings.auth_url), "redirect": redirect})
