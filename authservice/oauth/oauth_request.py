"""A request to one of the endpoints, its parameters read once, and what the endpoints work with."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, Protocol

from sqlalchemy import Connection

from authservice.crypto.server_secret import ServerSecret
from authservice.database.transaction import Transaction
from authservice.oauth import parameters
from authservice.oauth.parameters import Parameters
from authservice.services.clients.client_keys import ClientKeys
from authservice.services.clients.clients import Client
from authservice.services.keys.signing_keys import SigningKeys
from authservice.services.tokens.access_tokens import UserAccessToken
from authservice.settings import AuthSettings

Pairs = Iterable[tuple[str, str]]


class CheckRateLimit(Protocol):
    """Allows a request of an authenticated client, or raises to hold it back."""

    def __call__(
        self, client_id: str, *, public: bool, requests_per_minute: int | None, apart: str = ""
    ) -> None:
        """Allow a request of the client; it counts if it succeeds.

        A person, or a kind of answer, has its own count ``apart`` from others of the client.
        """


class NoteToken(Protocol):
    """Takes notice of a token that was presented, or raises to hold an unknown one back."""

    def __call__(self, *, unknown: bool) -> None:
        """Count the token if it is unknown. If the request fails, it counts as nothing else."""


@dataclass(frozen=True, slots=True)
class ServerContext:
    """Settings, keys, secret, the two ways to the database, and who counts the requests.

    The transaction begins when it is first needed: everything is looked up and signed before, but
    for a client that shows an assertion, which counts in it.
    """

    settings: AuthSettings
    keys: SigningKeys
    client_keys: ClientKeys
    secret: ServerSecret
    reader: Connection
    transaction: Callable[[], Transaction]
    check_rate_limit: CheckRateLimit
    note_token: NoteToken


@dataclass(frozen=True, slots=True, eq=False)
class Endpoint:
    """Which parameters an endpoint takes, and which kinds of clients may ask there."""

    parameters: frozenset[str]
    public_clients: bool = True
    resource_servers: bool = False


AUTHORIZATION = Endpoint(parameters.AUTHORIZE)
TOKEN = Endpoint(parameters.TOKEN)
INTROSPECTION = Endpoint(parameters.TOKEN_ACTION, public_clients=False, resource_servers=True)
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
    presented: UserAccessToken = field(init=False)
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

    @cached_property
    def allowed_scopes(self) -> Collection[str]:
        """Return the scopes that the client may have, in their order and quickly looked up."""
        return dict.fromkeys(self.client.allowed_scopes(self.context.settings.resources))

    def check_rate_limit(self, apart: str = "") -> None:
        """Allow a request of the client that has shown who it is, or raise to hold it back."""
        self.context.check_rate_limit(
            self.client.client_id,
            public=bool(self.client.public),
            requests_per_minute=self.client.requests_per_minute,
            apart=apart,
        )
