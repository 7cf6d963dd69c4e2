"""What introspection and revocation have in common: a client, and a token that it names."""

from collections.abc import Callable

from oauthlib.oauth2.rfc6749.errors import InvalidClientError, OAuth2Error

from authservice.oauth import parameters
from authservice.oauth.client_authentication import authenticated_client
from authservice.oauth.parameters import Parameters
from authservice.oauth.protocol_answer import (
    NO_STORE,
    ProtocolAnswer,
    client_error_answer,
    error_answer,
)
from authservice.oauth.server_context import Pairs, ServerContext
from authservice.services.clients import Client

# oauthlib wants an address to parse; only its query is looked at.
_ADDRESS = "https://server"


def respond_to_token_action(
    context: ServerContext,
    authorization: str | None,
    pairs: Pairs,
    act: Callable[[Client, str, str], tuple[object, str, int]],
    *,
    public_clients: bool,
) -> ProtocolAnswer:
    """Return the answer to a request that names a token, once its client is known."""
    sent = Parameters.read(pairs, parameters.TOKEN_ACTION)
    try:
        sent.refuse_repeated()
        client = authenticated_client(context, authorization, sent, public_clients=public_clients)
        sent.require("token")
        _, body, status = act(client, _ADDRESS, sent.encoded())
    except InvalidClientError as error:
        return client_error_answer(error, authorization)
    except OAuth2Error as error:
        return error_answer(error)
    return ProtocolAnswer(status, NO_STORE, body, "application/json" if body else None)
