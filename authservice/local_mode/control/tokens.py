"""POST tokens: a token of any kind, right or wrong, as a test of an application wants it."""

from typing import Any

from pyramid.response import Response

from authservice.local_mode import issued_tokens
from authservice.local_mode.control.consents import named_client
from authservice.local_mode.control.errors import invalid
from authservice.local_mode.control.fields import Fields
from authservice.local_mode.control.persons import named, user_of
from authservice.local_mode.issued_tokens import Subject
from authservice.local_mode.token_changes import SIGNATURES, UnsignedToken
from authservice.web.answers import json_answer
from authservice.web.session import session_jwt

_MEMBERS = ("kind", "person", "client_id", "set", "remove", "sign")
# It is for all first-party applications together, so it names no client.
_WITHOUT_CLIENT = "session_jwt"
# The service knows a right one again: a resource server may ask about it instead of verifying it.
_STORED = "access_token"
_RIGHT = "current"


def issue(request: Any) -> Response:
    """Return the token."""
    fields = Fields.of(request, _MEMBERS)
    kind = fields.choice("kind", (*issued_tokens.KINDS, _WITHOUT_CLIENT))
    sign = fields.choice("sign", SIGNATURES, _RIGHT)
    added = fields.members("set")
    removed = fields.texts("remove")
    made, subject = _issued(request, fields, kind)
    # No access token comes with it, of which a client could compare the hash.
    issued = UnsignedToken.of(made).changed({}, ("at_hash",))
    removable = [name for name in (*issued.claims, *issued_tokens.AT_TIMES) if name not in added]
    if not {*removed} <= {*removable}:
        message = "Only claims of the token that are not set can be removed"
        raise invalid(message, "remove", dict.fromkeys(removable))
    token = SIGNATURES[sign](issued.changed(added, removed), request.signing_keys)
    if kind == _STORED and subject is not None and (sign, added, removed) == (_RIGHT, {}, []):
        issued_tokens.store(request.db, subject, token)
    return json_answer({"token": token})


def _issued(request: Any, fields: Fields, kind: str) -> tuple[str, Subject | None]:
    """Return the token that the service would issue, and for whom it is if for a client."""
    settings, keys = request.auth_settings, request.signing_keys
    client = None
    if kind != _WITHOUT_CLIENT or "client_id" in fields:
        client = named_client(request, fields)
    user = user_of(request, named(request, fields))
    if kind == _WITHOUT_CLIENT or client is None:
        return session_jwt.issue(user, settings.auth_url, settings, keys), None
    subject = Subject(user, client, settings, keys, request.db_readonly)
    return issued_tokens.KINDS[kind](subject), subject
