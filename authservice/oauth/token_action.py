"""What introspection and revocation have in common: a client, and a token that it names."""

from collections.abc import Callable

from oauthlib.oauth2.rfc6749.errors import InvalidClientError, OAuth2Error
from oauthlib.oauth2.rfc6749.request_validator import RequestValidator

from authservice.oauth import parameters
from authservice.oauth.canonical_request import CanonicalRequest
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


class TokenActionRequest(CanonicalRequest):
    """A request about a token, of a client that has shown who it is."""

    token: str

    def __init__(self, context: ServerContext, sent: Parameters, client: Client) -> None:
        """Take what the request works with, its parameters and the client."""
        super().__init__(context, sent)
        self.client = client


class TokenActionValidator(RequestValidator):  # type: ignore[misc]  # oauthlib has no types
    """Answers what oauthlib asks of the client, which has shown who it is before."""

    def client_authentication_required(self, _request: object) -> bool:
        """Say yes: public clients name themselves."""
        return True

    def authenticate_client(self, _request: object) -> bool:
        """Accept: the client has been authenticated."""
        return True


def respond_to_token_action(
    context: ServerContext,
    authorization: str | None,
    pairs: Pairs,
    act: Callable[[TokenActionRequest], str],
    *,
    public_clients: bool,
) -> ProtocolAnswer:
    """Return the answer to a request that names a token, once its client is known.

    ``act`` has oauthlib examine the request, and returns the body of the answer.
    """
    sent = Parameters.read(pairs, parameters.TOKEN_ACTION)
    try:
        sent.refuse_repeated()
        client = authenticated_client(context, authorization, sent, public_clients=public_clients)
        sent.require("token")
        body = act(TokenActionRequest(context, sent, client))
    except InvalidClientError as error:
        return client_error_answer(error)
    except OAuth2Error as error:
        return error_answer(error)
    return ProtocolAnswer(200, NO_STORE, body, "application/json" if body else None)
