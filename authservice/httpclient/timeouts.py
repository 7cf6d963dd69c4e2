"""How long a call may wait."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Timeouts:
    """Holds the time limits of a call, in seconds.

    ``connect`` bounds one attempt to connect, and then the TLS handshake; ``read`` the silence of
    a connected host; ``total`` the whole call on the wall clock: looking up names, every redirect
    and the last byte of the body. A host that sends single bytes for ever is stopped by ``total``.
    """

    connect: float = 5.0
    read: float = 10.0
    total: float = 30.0

    def __post_init__(self) -> None:
        if min(self.connect, self.read, self.total) <= 0:
            raise ValueError("a timeout must be greater than 0")
