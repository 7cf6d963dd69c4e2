"""PUT and DELETE consents: what a person has allowed a client, without its page."""

from typing import Any

from pyramid.response import Response

from authservice.local_mode.control.errors import invalid, unknown
from authservice.local_mode.control.fields import Fields
from authservice.local_mode.control.persons import named, user_of
from authservice.services.clients import client_administration, clients
from authservice.services.clients.clients import SCOPES, Client
from authservice.services.people import consents, groups
from authservice.services.revocation import connected_applications
from authservice.web.answers import json_answer

_MEMBERS = ("person", "client_id", "scopes")
_SCOPES = (*SCOPES, groups.SCOPE)


def put_consent(request: Any) -> Response:
    """Let a person have allowed a client exactly these scopes."""
    fields = Fields.of(request, _MEMBERS)
    client_id, scopes = named_client(request, fields).client_id, _scopes(fields)
    user = user_of(request, named(request, fields))
    before = consents.find(request.db, client_id, user.id)
    others = [scope for scope in before.scopes if scope not in scopes] if before else []
    consents.grant(request.transaction, client_id, user.id, scopes, declined=others)
    return json_answer({"person": user.id, "client_id": client_id, "scopes": scopes})


def delete_consent(request: Any) -> Response:
    """Withdraw some scopes, or without scopes the whole consent with all tokens of the client."""
    fields = Fields.of(request, _MEMBERS)
    client_id = named_client(request, fields).client_id
    person = named(request, fields)
    consent = consents.find(request.db, client_id, person.id)
    if consent is None:
        raise unknown("consent", "client_id")
    if "scopes" not in fields:
        connected_applications.disconnect(request.transaction, person.id, client_id)
        return Response(status=204)
    withdrawn = _scopes(fields)
    consents.grant(request.transaction, client_id, person.id, (), declined=withdrawn)
    return Response(status=204)


def named_client(request: Any, fields: Fields) -> Client:
    """Return the client that the member ``client_id`` of a body names; raises ControlError."""
    client = clients.find(request.db_readonly, fields.text("client_id"))
    if client is None:
        every = client_administration.all_clients(request.db_readonly)
        known = [row["client_id"] for row in every if not row["disabled"]]
        raise invalid("There is no such client", "client_id", known)
    return client


def _scopes(fields: Fields) -> list[str]:
    scopes = fields.texts("scopes")
    if not scopes or not {*scopes} <= {*_SCOPES}:
        raise invalid("Name one scope or more of those that are supported", "scopes", _SCOPES)
    return scopes
