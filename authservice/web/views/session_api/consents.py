"""Connected applications for a first-party account page: public-client, get- and delete-consent."""

from typing import Any

from pyramid.response import Response
from pyramid.view import view_config

from authservice.services.clients import clients
from authservice.services.people import consents
from authservice.services.people.consents import Consent
from authservice.services.revocation import connected_applications
from authservice.web.answers import error_json, iso_date, json_answer, unauthorized
from authservice.web.gates import provenance
from authservice.web.request.auth_request import AuthRequest
from authservice.web.request.body import json_object, optional_text


@view_config(route_name="consents.public_client", request_method="GET")
def public_client(request: AuthRequest) -> Response:
    """Return what people may know of a client."""
    if request.confirmed_session is None:
        return unauthorized()
    client = clients.find_for_people(request.db_readonly, request.GET.get("client_id", ""))
    if client is None:
        return error_json(404, "Client not found", "NOT_FOUND")
    return json_answer(
        {
            "client_id": client.client_id,
            "client_name": client.name,
            "redirect_uris": client.redirect_uris,
        }
    )


@view_config(route_name="consents.get", request_method="GET")
def get_consents(request: AuthRequest) -> Response:
    """Return what the person has allowed which client."""
    session = request.confirmed_session
    if session is None:
        return unauthorized()
    consented = consents.of_user(request.db_readonly, session.user.id)
    return json_answer([_consent_json(each, session.user.id) for each in consented])


# No form token: the Origin rule of the session API stands in its place.
@view_config(route_name="consents.delete", request_method="POST", require_csrf=False)
def delete_consent(request: AuthRequest) -> Response:
    """Take an application's access back: its consent and all its tokens."""
    refused = provenance.refused_origin(request)
    if refused is not None:
        return refused
    session = request.confirmed_session
    if session is None:
        return unauthorized()
    consent_id = optional_text(json_object(request), "id")
    consented = consents.of_user(request.db_readonly, session.user.id)
    consent = next((each for each in consented if each.id == consent_id), None)
    if consent is None:
        return error_json(404, "Consent not found", "NOT_FOUND")
    connected_applications.disconnect(request.transaction, session.user.id, consent.client_id)
    return json_answer({"status": True})


def _consent_json(consent: Consent, user_id: str) -> dict[str, Any]:
    return {
        "id": consent.id,
        "clientId": consent.client_id,
        "userId": user_id,
        "referenceId": None,
        "scopes": consent.scopes,
        "resources": consent.resources or (),
        "createdAt": iso_date(consent.created_at),
        "updatedAt": iso_date(consent.updated_at),
    }
