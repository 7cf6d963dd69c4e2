"""A token request as oauthlib asks about it, with what is found out about it on the way."""

from authservice.oauth.canonical_request import CanonicalRequest
from authservice.oauth.parameters import Parameters
from authservice.oauth.server_context import ServerContext
from authservice.oauth.token_grant import TokenGrant
from authservice.services.authorization_codes import AuthorizationCode
from authservice.services.clients import Client
from authservice.services.refresh_tokens import RefreshToken


class TokenRequest(CanonicalRequest):
    """A request of a client that has shown who it is."""

    found_code: AuthorizationCode | None = None
    # Each is known once the code or the refresh token has been accepted.
    found_refresh_token: RefreshToken
    # What is left of it by now.
    grant: TokenGrant
    resources: tuple[str, ...]

    def __init__(self, context: ServerContext, sent: Parameters, client: Client) -> None:
        """Take what the request works with, its parameters and the client."""
        super().__init__(context, sent)
        self.client = client
        self.client_id = client.client_id
