"""Answers of the endpoints that programs call: status, headers and a JSON body."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from oauthlib.oauth2.rfc6749.errors import InvalidClientError, OAuth2Error

# RFC 6749, section 5.1: token answers, errors too, are never cached.
NO_STORE = {"Cache-Control": "no-store", "Pragma": "no-cache"}
_REALM = 'realm="authservice"'


class InvalidAssertionError(InvalidClientError):
    """A client has not proved itself by its assertion, for which HTTP has no scheme.

    Libraries that see a challenge do not show why.
    """


@dataclass(frozen=True, slots=True)
class ProtocolAnswer:
    """What an endpoint answers; the body is empty or a text of the named content type."""

    status: int
    headers: Mapping[str, str]
    body: str
    content_type: str | None = "application/json"


def error_answer(error: OAuth2Error) -> ProtocolAnswer:
    """Return an error of the token, introspection or revocation endpoint (RFC 6749, 5.2).

    A client that did not show who it is is told how it could (RFC 9110: each 401 has a challenge).
    """
    body = error_body(error.error, error.description)
    if isinstance(error, InvalidAssertionError):
        return ProtocolAnswer(401, NO_STORE, body)
    if isinstance(error, InvalidClientError):
        challenge = {"WWW-Authenticate": f"Basic {_REALM}"}
        return ProtocolAnswer(401, NO_STORE | challenge, body)
    return ProtocolAnswer(error.status_code, NO_STORE, body)


def bearer_error_answer(
    status: int, error: str | None = None, description: str | None = None, scope: str | None = None
) -> ProtocolAnswer:
    """Return a refused access token, with the challenge of RFC 6750, section 3.

    Without an error the request carried no token at all, and the challenge says nothing more than
    the realm: one parameter it must have.
    """
    details = {"error": error, "error_description": description, "scope": scope}
    values = ", ".join(f'{name}="{value}"' for name, value in details.items() if value)
    challenge = {"WWW-Authenticate": f"Bearer {values or _REALM}"}
    body = error_body(error, description) if error else ""
    return ProtocolAnswer(status, NO_STORE | challenge, body, "application/json" if error else None)


def error_body(error: str, description: str | None) -> str:
    """Return the members of an error as JSON."""
    content = {"error": error}
    if description:
        content["error_description"] = description
    return json.dumps(content)
