"""The revocation endpoint: clients give their tokens back (RFC 7009)."""

from oauthlib.oauth2.rfc6749.endpoints import RevocationEndpoint

from authservice.oauth import revocation
from authservice.oauth.protocol_answer import ProtocolAnswer
from authservice.oauth.server_context import Pairs, ServerContext
from authservice.oauth.token_action import (
    TokenActionRequest,
    TokenActionValidator,
    respond_to_token_action,
)

_ENDPOINT = RevocationEndpoint(TokenActionValidator())


def revoke(context: ServerContext, authorization: str | None, pairs: Pairs) -> ProtocolAnswer:
    """Return the answer to a revocation request; it says nothing of what the token was."""

    def act(request: TokenActionRequest) -> str:
        _ENDPOINT.validate_revocation_request(request)
        # A token of another client is left alone.
        revocation.revoke(context.reader, context.open_writer, request.token, request.client)
        return ""

    return respond_to_token_action(context, authorization, pairs, act, public_clients=True)
