"""Who asks: signed-in people, clients, and the tokens that they hold."""

import random
from collections import deque
from dataclasses import dataclass, field

from tools.bench.driver.http11 import basic


@dataclass(frozen=True, slots=True)
class Client:
    """A registered client and its secret; a machine has no redirect URI."""

    client_id: str
    secret: str
    redirect_uri: str = ""

    @property
    def authorization(self) -> str:
        """Return the Authorization header with which the client shows who it is."""
        return basic(self.client_id, self.secret)


@dataclass(frozen=True, slots=True)
class Person:
    """A user who is signed in, and has allowed a client everything."""

    user_id: str
    cookies: str
    client: Client


@dataclass(frozen=True, slots=True)
class Grant:
    """Tokens that a client holds for a user."""

    user_id: str
    client: Client
    access_token: str
    refresh_token: str


@dataclass(slots=True)
class Population:
    """Those among whom the load chooses. Every refresh token is used by one request at a time."""

    host: str
    people: list[Person]
    grants: list[Grant]
    machine: Client | None
    refreshable: deque[Grant] = field(init=False)

    def __post_init__(self) -> None:
        self.refreshable = deque(self.grants)

    def any_person(self) -> Person:
        """Return one of the people."""
        return random.choice(self.people)

    def any_grant(self) -> Grant:
        """Return one of the grants; refreshing leaves its access token as it is."""
        return random.choice(self.grants)
