"""A request to one of the endpoints, its parameters read once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from authservice.oauth import parameters
from authservice.oauth.context import Pairs, ServerContext
from authservice.oauth.parameters import Parameters
from authservice.services.clients.clients import Client
from authservice.services.tokens.access_tokens import AccessToken


@dataclass(frozen=True, slots=True, eq=False)
class Endpoint:
    """Which parameters an endpoint takes, and whether public clients may ask there."""

    parameters: frozenset[str]
    public_clients: bool = True


AUTHORIZATION = Endpoint(parameters.AUTHORIZE)
TOKEN = Endpoint(parameters.TOKEN)
INTROSPECTION = Endpoint(parameters.TOKEN_ACTION, public_clients=False)
REVOCATION = Endpoint(parameters.TOKEN_ACTION)
USERINFO = Endpoint(parameters.USERINFO)


# Errors of oauthlib contain the repr of their request: none of ours shows what was sent.
@dataclass(eq=False, repr=False)
class OAuthRequest:
    """What oauthlib validates, in place of its own ``Request``, which would parse it again.

    ``authorization`` is the value of that header. What is not set by then raises AttributeError.
    """

    endpoint: Endpoint
    context: ServerContext
    authorization: str | None
    parameters: Parameters

    client: Client = field(init=False)
    """The client, once it has shown who it is, or once it is known where it need not."""
    access_token: str = field(init=False)
    """The access token that was presented for userinfo."""
    presented: AccessToken = field(init=False)
    """What it stands for, once it is known to be alive."""
    scopes: Sequence[str] = ()
    """The requested scopes, or those of the access token."""
    # oauthlib would look for the access token there first.
    headers: ClassVar[Mapping[str, str]] = {}

    @classmethod
    def read(
        cls, endpoint: Endpoint, context: ServerContext, authorization: str | None, pairs: Pairs
    ) -> "OAuthRequest":
        """Return the request that was sent with this header and these parameters."""
        return cls(endpoint, context, authorization, Parameters.read(pairs, endpoint.parameters))

    def __getattr__(self, name: str) -> str | None:
        """Return the parameter of that name, as oauthlib asks for it; None where it is missing."""
        if name in parameters.NAMES:
            return self.parameters.get(name)
        raise AttributeError(name)

    def check_rate_limit(self, apart: str = "") -> None:
        """Allow a request of the client that has shown who it is, or raise to hold it back."""
        self.context.check_rate_limit(
            self.client.client_id,
            public=bool(self.client.public),
            requests_per_minute=self.client.requests_per_minute,
            apart=apart,
        )
