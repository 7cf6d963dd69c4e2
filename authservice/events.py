"""What happened, for those who have to account for it: every event is defined here.

Events are records of the logger ``authservice.events``, which operators send where they cannot
be taken back. What happens in a transaction is logged once that is committed. Events name people
and clients by their ids only, and hold no token and no code.
"""

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, ClassVar

_log = logging.getLogger(__name__)
_WORD_BEGINS = re.compile(r"(?<!^)(?=[A-Z])")


@dataclass(frozen=True, kw_only=True)
class Event:
    """Something that happened. What is not known is None."""

    name: ClassVar[str]

    def __init_subclass__(cls) -> None:
        cls.name = _WORD_BEGINS.sub("_", cls.__name__).lower()

    def content(self) -> dict[str, Any]:
        """Return the name and everything that is known."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {"name": self.name} | {
            name: value for name, value in values.items() if value is not None
        }


@dataclass(frozen=True, kw_only=True)
class SignedIn(Event):
    """A person signed in, and a session began."""

    sub: str
    sid: str
    provider: str
    new_user: bool


@dataclass(frozen=True, kw_only=True)
class SignInFailed(Event):
    """The identity provider did not confirm who a person is."""

    provider: str
    error: str


@dataclass(frozen=True, kw_only=True)
class SignInRefused(Event):
    """The provider confirmed who a person is, and the rules do not admit them."""

    provider: str
    account_id: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class AccountNotLinked(Event):
    """A person came with a new account and the address of another person, ``sub``."""

    provider: str
    account_id: str
    sub: str | None


@dataclass(frozen=True, kw_only=True)
class SignedOut(Event):
    """A session ended before its time: by its owner, from here or from another device."""

    sub: str
    sid: str


@dataclass(frozen=True, kw_only=True)
class AdmissionEnded(Event):
    """The rules no longer let a person in: their sessions ended, their tokens were revoked."""

    sub: str
    sessions: int


@dataclass(frozen=True, kw_only=True)
class AccessRefused(Event):
    """A person came to a client that is for others, as its list of allowed people says."""

    sub: str
    client_id: str


@dataclass(frozen=True, kw_only=True)
class ConsentGiven(Event):
    """A person gave a client consent."""

    sub: str
    client_id: str
    scope: str
    resources: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ConsentRefused(Event):
    """A person refused a client consent."""

    sub: str
    client_id: str


@dataclass(frozen=True, kw_only=True)
class ConsentWithdrawn(Event):
    """A person took a client's access back, with all its tokens."""

    sub: str
    client_id: str


@dataclass(frozen=True, kw_only=True)
class TokenIssued(Event):
    """A client received tokens; it asked for the ignored scope as well, and may not have it."""

    grant_type: str
    client_id: str
    sub: str
    scope: str
    ignored_scope: str | None = None


@dataclass(frozen=True, kw_only=True)
class TokenRefused(Event):
    """A token request was refused; the client is named only if it has shown who it is."""

    grant_type: str | None
    client_id: str | None
    error: str


@dataclass(frozen=True, kw_only=True)
class TokenRevoked(Event):
    """A client gave a token back."""

    client_id: str
    sub: str


@dataclass(frozen=True, kw_only=True)
class CodeReplayed(Event):
    """An authorization code came a second time: what was made of it has been revoked."""

    client_id: str
    sub: str


@dataclass(frozen=True, kw_only=True)
class RefreshTokenReplayed(Event):
    """A used refresh token came again: all refresh tokens of that sign-in have been revoked."""

    client_id: str
    sub: str


@dataclass(frozen=True, kw_only=True)
class ClientRegistered(Event):
    """A client was registered."""

    client_id: str


@dataclass(frozen=True, kw_only=True)
class ClientChanged(Event):
    """Metadata of a client changed; ``changed`` names what, not from what to what."""

    client_id: str
    changed: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ClientDisabled(Event):
    """A client was disabled, and its tokens with it."""

    client_id: str


@dataclass(frozen=True, kw_only=True)
class ClientEnabled(Event):
    """A disabled client works again."""

    client_id: str


@dataclass(frozen=True, kw_only=True)
class ClientSecretRotated(Event):
    """A client was given a new secret."""

    client_id: str


@dataclass(frozen=True, kw_only=True)
class ClientDeleted(Event):
    """A client was deleted with its consents and tokens."""

    client_id: str


@dataclass(frozen=True, kw_only=True)
class UserExported(Event):
    """What is kept of a person was handed out, by an operator's command."""

    sub: str


@dataclass(frozen=True, kw_only=True)
class EmailReleased(Event):
    """A person was parted from their address and signed out, by an operator's command."""

    sub: str


@dataclass(frozen=True, kw_only=True)
class UserDeleted(Event):
    """A person was deleted with everything that hung on them, by an operator's command."""

    sub: str


@dataclass(frozen=True, kw_only=True)
class ProviderRebound(Event):
    """Another identity provider tells who people are; all accounts of the former are forgotten."""

    provider: str
    accounts: int


@dataclass(frozen=True, kw_only=True)
class EveryoneSignedOut(Event):
    """Every session ended and every token was revoked, by an operator's command."""

    sessions: int
    refresh_tokens: int


@dataclass(frozen=True, kw_only=True)
class BackupRestored(Event):
    """A backup took the place of the database; what happened since it was made is undone."""

    everyone_signed_out: bool


observers: list[Callable[[Event], None]] = []
"""Called with each event of this process, at whatever level the log is."""


def log(*happened: Event) -> None:
    """Log events that are true by now."""
    for event in happened:
        if _log.isEnabledFor(logging.INFO):
            _log.handle(_record(event))
        for observe in observers:
            observe(event)


def _record(event: Event) -> logging.LogRecord:
    # The logger would search the stack for the line it was called from, which is always ours.
    place = (__file__, 0)
    return _log.makeRecord(
        _log.name, logging.INFO, *place, event.name, (), None, extra={"event": event}
    )
