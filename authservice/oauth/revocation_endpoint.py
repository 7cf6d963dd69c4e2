"""The revocation endpoint: clients give their tokens back (RFC 7009)."""

from oauthlib.oauth2.rfc6749.endpoints import RevocationEndpoint

from authservice.oauth import revocation
from authservice.oauth.protocol_answer import ProtocolAnswer
from authservice.oauth.server_context import Pairs, ServerContext
from authservice.oauth.token_action import TokenActionValidator, respond_to_token_action
from authservice.services.clients import Client


class _Validator(TokenActionValidator):
    """Answers what oauthlib asks about a revocation request."""

    def revoke_token(self, token: str, _hint: str | None, _request: object) -> None:
        """Take a token of this client back; any other is left alone."""
        revocation.revoke(self._context.reader, self._context.open_writer, token, self._client)


def revoke(context: ServerContext, authorization: str | None, pairs: Pairs) -> ProtocolAnswer:
    """Return the answer to a revocation request; it says nothing of what the token was."""

    def act(client: Client, address: str, body: str) -> tuple[object, str, int]:
        endpoint = RevocationEndpoint(_Validator(context, client))
        answer: tuple[object, str, int] = endpoint.create_revocation_response(address, body=body)
        return answer

    return respond_to_token_action(context, authorization, pairs, act, public_clients=True)
