"""The token endpoint: codes and refresh tokens into tokens (RFC 6749, 3.2)."""

from oauthlib.oauth2.rfc6749 import endpoints
from oauthlib.oauth2.rfc6749.errors import (
    InvalidRequestError,
    OAuth2Error,
    UnsupportedGrantTypeError,
)

from authservice import events
from authservice.events import TokenRefused
from authservice.oauth import parameters
from authservice.oauth.client_authentication import authenticated_client
from authservice.oauth.context import Pairs, ServerContext
from authservice.oauth.parameters import Parameters
from authservice.oauth.protocol_answer import ProtocolAnswer, error_answer
from authservice.oauth.token import authorization_code, refresh_token
from authservice.oauth.token.authorization_code import AuthorizationCodeGrant
from authservice.oauth.token.issue import TokenRequest
from authservice.oauth.token.refresh_token import RefreshTokenGrant
from authservice.services.clients.clients import Client

GRANT_TYPES = (authorization_code.GRANT_TYPE, refresh_token.GRANT_TYPE)


class TokenEndpoint(endpoints.TokenEndpoint):  # type: ignore[misc]  # oauthlib has no types
    """Hands a request to the grant that it names, once the client has shown who it is."""

    def create_token_response(
        self, context: ServerContext, authorization: str | None, form: Pairs
    ) -> ProtocolAnswer:
        """Return the answer to a token request (RFC 6749, 4.1.3 and 6)."""
        sent = Parameters.read(form, parameters.TOKEN)
        client = None
        try:
            sent.refuse_repeated()
            client = authenticated_client(context, authorization, sent)
            grant = self.grant_types[_grant_type(sent)]
            request = TokenRequest(context, client, sent)
            headers, body, status = grant.create_token_response(request, self.default_token_type)
        except OAuth2Error as error:
            events.log(_refused(client, sent, error))
            return error_answer(error)
        return ProtocolAnswer(status, headers, body)


def _grant_type(sent: Parameters) -> str:
    grant_type = sent.get("grant_type")
    expected = " or ".join(GRANT_TYPES)
    if grant_type is None:
        raise InvalidRequestError(description=f"grant_type is missing; it must be {expected}.")
    if grant_type not in GRANT_TYPES:
        raise UnsupportedGrantTypeError(description=f"grant_type must be {expected}.")
    return grant_type


def _refused(client: Client | None, sent: Parameters, error: OAuth2Error) -> TokenRefused:
    grant_type = sent.get("grant_type")
    return TokenRefused(
        # Any sender may send any text.
        grant_type=grant_type if grant_type in GRANT_TYPES else None,
        client_id=None if client is None else client.client_id,
        error=error.error,
    )


token_endpoint = TokenEndpoint(
    default_grant_type=None,
    default_token_type="Bearer",
    grant_types={
        authorization_code.GRANT_TYPE: AuthorizationCodeGrant(),
        refresh_token.GRANT_TYPE: RefreshTokenGrant(),
    },
)
