"""The introspection endpoint: whether a token is active, and what it stands for (RFC 7662)."""

from oauthlib.oauth2.rfc6749.endpoints import IntrospectEndpoint

from authservice.compact_json import compact
from authservice.oauth import introspection
from authservice.oauth.protocol_answer import ProtocolAnswer
from authservice.oauth.server_context import Pairs, ServerContext
from authservice.oauth.token_action import (
    TokenActionRequest,
    TokenActionValidator,
    respond_to_token_action,
)

_ENDPOINT = IntrospectEndpoint(TokenActionValidator())


def introspect(context: ServerContext, authorization: str | None, pairs: Pairs) -> ProtocolAnswer:
    """Return the answer to an introspection request of a client that has a secret."""

    def act(request: TokenActionRequest) -> str:
        _ENDPOINT.validate_introspect_request(request)
        found = introspection.describe(
            context.reader, request.token, request.client, context.settings
        )
        return compact({"active": False} if found is None else {"active": True} | found)

    return respond_to_token_action(context, authorization, pairs, act, public_clients=False)
