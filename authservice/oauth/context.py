"""What the endpoints of one request work with."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from sqlalchemy import Connection

from authservice.crypto.server_secret import ServerSecret
from authservice.database.transaction import Transaction
from authservice.services.keys.signing_keys import SigningKeys
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

    The transaction begins when it is first needed: everything is looked up and signed before.
    """

    settings: AuthSettings
    keys: SigningKeys
    secret: ServerSecret
    reader: Connection
    transaction: Callable[[], Transaction]
    check_rate_limit: CheckRateLimit
    note_token: NoteToken
