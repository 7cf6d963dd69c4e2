"""The view of the sign-in page, wrapped: it goes on as the person who was chosen there."""

from collections.abc import Callable
from typing import Any

from pyramid.response import Response

from authservice.local_mode.local_components import local
from authservice.local_mode.sign_in import persons_page
from authservice.web.answers import see_other
from authservice.web.request.auth_request import AuthRequest
from authservice.web.request.body import form_pairs
from authservice.web.sign_in import interactions, sign_in_attempt
from authservice.web.sign_in.return_target import FirstPartyReturn
from authservice.web.sign_in.sign_in_page import SignInPrompt

View = Callable[[Any, Any], Response]

_ROUTE = "sign_in"


def chosen_person(view: View, info: Any) -> View:
    """Return the view of the sign-in page around which a person is chosen (a view deriver)."""
    if info.options.get("route_name") != _ROUTE:
        return view

    def wrapper(context: Any, request: AuthRequest) -> Response:
        if request.method == "POST":
            return _as_chosen(request, view(context, request))
        if request.method == "GET" and request.auth_settings.local.signs_in_automatically:
            return _signed_in(request)
        return view(context, request)

    return wrapper


def _as_chosen(request: AuthRequest, response: Response) -> Response:
    """Let the way to the identity provider be that of the person whose button was used."""
    # A page that refuses the form leads nowhere, and a form is not read twice for it.
    if response.location:
        person_id = dict(form_pairs(request)).get(persons_page.PARAMETER)
        if person_id:
            response.location = local(request).identity_provider.as_person(
                response.location, person_id
            )
    return response


def _signed_in(request: AuthRequest) -> Response:
    """Go the way of the form at once, as the person who is requested, or as the first."""
    if interactions.PARAMETER in request.GET:
        sealed = request.GET[interactions.PARAMETER]
        target = SignInPrompt.of_interaction(request, sealed).target
    else:
        target = FirstPartyReturn.of_query(request.components.origins, request.GET)
    everyone = local(request).persons.everyone(request.db_readonly)
    person = persons_page.requested(request, everyone) or next(iter(everyone.values()))
    attempt = sign_in_attempt.new(target)
    address = sign_in_attempt.begin(request, attempt)
    response = see_other(local(request).identity_provider.as_person(address, person.id))
    request.cookies_of_service.set_attempt(response, attempt.id)
    return response


def includeme(config: Any) -> None:
    """Wrap the page of a router."""
    # Within the transaction of the request, in which an attempt is stored.
    config.add_view_deriver(chosen_person, under="transactional_view")
