"""Client authentication: by a secret, by an assertion, or not at all for public clients.

One mechanism for each request (RFC 6749, section 2.3), checked before anything else of it.
"""

import base64
import binascii
from urllib.parse import unquote_plus

from oauthlib.oauth2.rfc6749.errors import InvalidClientError, InvalidRequestError

from authservice.oauth import client_assertion
from authservice.oauth.oauth_request import ServerContext
from authservice.oauth.parameters import Parameters
from authservice.services.clients import clients
from authservice.services.clients.clients import Client

CONFIDENTIAL = ("client_secret_basic", "client_secret_post", client_assertion.METHOD)
METHODS = (*CONFIDENTIAL, "none")

# One text for every cause, so that a caller cannot learn which client ids exist.
_FAILED = "Client authentication failed: the client is unknown or its credentials are wrong."


def authenticate(
    context: ServerContext,
    authorization: str | None,
    parameters: Parameters,
    *,
    public_clients: bool = True,
) -> Client:
    """Return the client that sent a request; public clients only where they may.

    A client that nobody signs in to is never public (OAuth 2.1, section 4.2), and one that has keys
    proves itself with them alone.

    Raises InvalidClientError when it cannot be told or is not who it says, InvalidRequestError
    when the request names two clients or uses two mechanisms.
    """
    if any(name in parameters.values for name in client_assertion.PARAMETERS):
        if authorization is not None or "client_secret" in parameters.values:
            raise InvalidClientError(
                description="Use one client authentication method: a client_assertion comes without"
                " an Authorization header and without client_secret."
            )
        return client_assertion.authenticate(context, parameters)
    client_id, secret = _credentials(authorization, parameters)
    client = clients.find(context.reader, client_id)
    if client is None or client.has_keys:
        raise InvalidClientError(description=_FAILED)
    if client.public and secret is None and public_clients and client.is_for_people:
        return client
    if secret is None or not client.has_secret(secret):
        raise InvalidClientError(description=_FAILED)
    return client


def _credentials(authorization: str | None, parameters: Parameters) -> tuple[str, str | None]:
    if authorization is None:
        client_id = parameters.get("client_id")
        if client_id is None:
            raise InvalidClientError(
                description="Client authentication is missing: send a client_assertion, or"
                " client_id, with client_secret or an Authorization header of scheme Basic unless"
                " the client is public."
            )
        return client_id, parameters.get("client_secret")
    client_id, secret = _basic(authorization)
    if parameters.get("client_secret") is not None:
        raise InvalidRequestError(
            description="Use one client authentication method: either the Authorization header or"
            " client_secret in the body."
        )
    if parameters.get("client_id") not in {None, client_id}:
        raise InvalidRequestError(
            description="client_id in the body differs from the one in the Authorization header."
        )
    # Some programs send Basic with an empty password for public clients (RFC 6749, 3.2).
    return client_id, secret or None


def _basic(authorization: str) -> tuple[str, str]:
    """Return both halves, each form-decoded after the split (RFC 6749, section 2.3.1)."""
    scheme, _, encoded = authorization.partition(" ")
    try:
        decoded = base64.b64decode(encoded.strip(), validate=True).decode("utf-8")
    except (binascii.Error, ValueError):
        decoded = ""
    client_id, separator, secret = decoded.partition(":")
    client_id, secret = unquote_plus(client_id), unquote_plus(secret)
    # PostgreSQL takes no NUL in a text.
    readable = bool(client_id and separator) and "\x00" not in client_id
    if scheme.lower() != "basic" or not readable:
        raise InvalidClientError(
            description="The Authorization header must be of scheme Basic and hold client id and"
            " secret, form-encoded, joined by a colon, in base64."
        )
    return client_id, secret
