"""The introspection endpoint: whether a token is active, and what it stands for (RFC 7662)."""

from typing import Any

from oauthlib.oauth2.rfc6749.endpoints import IntrospectEndpoint
from oauthlib.oauth2.rfc6749.request_validator import RequestValidator

from authservice.oauth import introspection
from authservice.oauth.protocol_answer import ProtocolAnswer
from authservice.oauth.server_context import Pairs, ServerContext
from authservice.oauth.token_action import respond_to_token_action
from authservice.services.clients import Client


class _Validator(RequestValidator):  # type: ignore[misc]  # oauthlib has no types
    """Answers what oauthlib asks about an introspection request."""

    def __init__(self, context: ServerContext, client: Client) -> None:
        """Take the client that has shown who it is."""
        super().__init__()
        self._context = context
        self._client = client

    def client_authentication_required(self, _request: object) -> bool:
        """Say yes."""
        return True

    def authenticate_client(self, _request: object) -> bool:
        """Accept: the client has been authenticated before."""
        return True

    def introspect_token(
        self, token: str, _hint: str | None, _request: object
    ) -> dict[str, Any] | None:
        """Return what the token stands for, if this client may know."""
        return introspection.describe(
            self._context.reader, token, self._client, self._context.settings
        )


def introspect(context: ServerContext, authorization: str | None, pairs: Pairs) -> ProtocolAnswer:
    """Return the answer to an introspection request of a client that has a secret."""

    def act(client: Client, address: str, body: str) -> tuple[object, str, int]:
        endpoint = IntrospectEndpoint(_Validator(context, client))
        answer: tuple[object, str, int] = endpoint.create_introspect_response(address, body=body)
        return answer

    return respond_to_token_action(context, authorization, pairs, act, public_clients=False)
