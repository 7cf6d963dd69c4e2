"""The introspection endpoint: whether a token is active, and what it stands for (RFC 7662)."""

from typing import Any

from oauthlib.oauth2.rfc6749.endpoints import IntrospectEndpoint

from authservice.oauth import introspection
from authservice.oauth.protocol_answer import ProtocolAnswer
from authservice.oauth.server_context import Pairs, ServerContext
from authservice.oauth.token_action import TokenActionValidator, respond_to_token_action
from authservice.services.clients import Client


class _Validator(TokenActionValidator):
    """Answers what oauthlib asks about an introspection request."""

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
