"""An authorization request that waits for the person, sealed for its way through the pages.

It travels as one query parameter, is bound to the browser that it was made for, and holds for ten
minutes. What it carries is read again by the authorization endpoint as if it came from the client.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from authservice import clock
from authservice.crypto.secret_values import digest, equal
from authservice.crypto.server_secret import ServerSecret
from authservice.oauth.authorize.interaction import Visit

_PURPOSE = "interaction"
_LIFETIME = timedelta(minutes=10)
STARTS_AGAIN = timedelta(hours=24)
"""How long what a page holds may start again; later no client knows its state any more."""


class InteractionError(Exception):
    """An interaction that cannot go on.

    ``query`` is that of the authorization request; a forged interaction has none. ``starts_again``
    tells whether it may start the request again: it began within a day. ``by_itself`` tells that
    nobody needs to be told: it only expired, in this browser or one that has lost its cookies.
    """

    def __init__(
        self, query: str | None = None, *, starts_again: bool = False, by_itself: bool = False
    ) -> None:
        super().__init__("the interaction was altered, has expired or is another browser's")
        self.query = query
        self.starts_again = starts_again
        self.by_itself = starts_again and by_itself


@dataclass(frozen=True, slots=True)
class PendingRequest:
    """The query of an authorization request, and when it first arrived."""

    query: str
    visit: Visit

    def seal(self, secret: ServerSecret, browser: str) -> str:
        """Return the request as one opaque parameter for this browser."""
        content = {
            "query": self.query,
            "started": self.visit.started_at.timestamp(),
            "chosen": self.visit.chosen_session_id,
            "declined": self.visit.declined,
            "browser": digest(browser),
        }
        return secret.seal(_PURPOSE, content, self.visit.started_at + _LIFETIME)

    def continued_with(self, session_id: str) -> "PendingRequest":
        """Return the request with the session that the person chose."""
        return replace(self, visit=replace(self.visit, chosen_session_id=session_id))

    def narrowed_by(self, declined: tuple[str, ...]) -> "PendingRequest":
        """Return the request with the scopes that the person does not allow."""
        return replace(self, visit=replace(self.visit, declined=declined))

    @classmethod
    def unseal(cls, secret: ServerSecret, browser: str | None, sealed: str) -> "PendingRequest":
        """Return the request; raises InteractionError unless it is whole, in time and here."""
        unsealed = secret.unseal(_PURPOSE, sealed, clock.now())
        if unsealed is None:
            raise InteractionError
        started_at = datetime.fromtimestamp(unsealed.value["started"], UTC)
        here = browser is not None and equal(unsealed.value["browser"], digest(browser))
        if unsealed.expired or not here:
            # Where cookies are switched off, one that has just begun never is this browser's.
            raise InteractionError(
                unsealed.value["query"],
                starts_again=clock.now() - started_at < STARTS_AGAIN,
                by_itself=unsealed.expired and (here or browser is None),
            )
        visit = Visit(started_at, unsealed.value["chosen"], tuple(unsealed.value["declined"]))
        return cls(unsealed.value["query"], visit)
