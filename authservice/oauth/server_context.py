"""What the endpoints of one request work with."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from sqlalchemy import Connection

from authservice.services.signing_keys import SigningKeys
from authservice.settings import AuthSettings

Pairs = Iterable[tuple[str, str]]


class Admit(Protocol):
    """Lets an authenticated client pass, or raises to hold it back."""

    def __call__(self, client_id: str, *, public: bool, requests_per_minute: int | None) -> None:
        """Let a request of the client pass; it counts if it succeeds."""


@dataclass(frozen=True, slots=True)
class ServerContext:
    """Settings, keys, the two ways to the database, and who counts the requests.

    The writer opens when it is first needed: everything is looked up and signed before.
    """

    settings: AuthSettings
    keys: SigningKeys
    reader: Connection
    open_writer: Callable[[], Connection]
    admit: Admit
