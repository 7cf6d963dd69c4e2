"""What the service has acknowledged, and what that promises from then on."""

import threading
from dataclasses import dataclass, field


@dataclass(slots=True)
class Family:
    """The tokens that began with one code: those that the client holds now."""

    code_request: bytes
    access_token: str
    refresh_token: str
    # The session's cookies: when it has ended, the access token may not be used any more.
    cookies: str


@dataclass(slots=True)
class Ledger:
    """Shared by all who ask; holds only what was answered."""

    alive: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    families: list[Family] = field(default_factory=list)
    revoked: list[Family] = field(default_factory=list)
    losses: list[str] = field(default_factory=list)
    acknowledged: dict[str, int] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def acknowledge(self, what: str) -> None:
        """Count something that was answered."""
        with self._lock:
            self.acknowledged[what] = self.acknowledged.get(what, 0) + 1

    def lost(self, what: str) -> None:
        """Note a promise that was not kept."""
        with self._lock:
            self.losses.append(what)
