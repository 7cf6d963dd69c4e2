"""Authorization requests that must not redirect, and what developers see of them."""

from dataclasses import dataclass
from itertools import takewhile

from authservice.services.clients.clients import Client

_LONGEST_SHOWN = 2048


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a received redirect URI and the registered one most like it part."""

    received_before: str
    received_at: str
    registered_before: str
    registered_at: str


class FatalAuthorizationError(Exception):
    """An authorization request that names no client or no redirect URI of its client.

    It is shown to the person and never redirected (RFC 6749, section 4.1.2.1). What was received
    and what is registered is for developers in local mode, and for the log.
    """

    def __init__(
        self,
        error: str,
        description: str,
        *,
        received: str | None = None,
        registered: tuple[str, ...] = (),
    ) -> None:
        super().__init__(description)
        self.error = error
        self.description = description
        self.received = received
        self.registered = registered

    @property
    def difference(self) -> Difference | None:
        """Return where the received URI parts from the registered one that is most like it."""
        if self.received is None or not self.registered:
            return None
        # No registered one is longer; a page would take long to mark what else there is.
        received = self.received[:_LONGEST_SHOWN]
        nearest = max(self.registered, key=lambda uri: len(_common_start(uri, received)))
        common = _common_start(nearest, received)
        return Difference(common, received[len(common) :], common, nearest[len(common) :])


def _common_start(one: str, other: str) -> str:
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return "".join(character for character, _ in pairs)


def foreign_redirect_uri(received: str | None, client: Client) -> FatalAuthorizationError:
    """Return the refusal of a redirect URI that is not the client's."""
    return FatalAuthorizationError(
        "invalid_redirect_uri",
        "redirect_uri is not one of those registered for this client; it must be the same,"
        " character by character.",
        received=received,
        registered=client.redirect_uris,
    )
