"""What the call that this thread is making may still do: for how long, and to which addresses.

The libraries between ``Client.send`` and the socket pass time limits on as a limit for each
single receive, and addresses not at all. So the sockets ask here. There is no default: a socket
of ours used outside a call fails instead of running without limits.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic

from authservice.httpclient.errors import SendTimeoutError
from authservice.httpclient.timeouts import Timeouts
from authservice.httpclient.wire.address_policy import AddressPolicy

_current: ContextVar["Call"] = ContextVar("call")


class Call:
    """The limits of one call, counted from its construction."""

    def __init__(self, timeouts: Timeouts, address_policy: AddressPolicy | None) -> None:
        self.address_policy = address_policy
        self._timeouts = timeouts
        self._end = monotonic() + timeouts.total

    @contextmanager
    def running(self) -> Iterator[None]:
        """Make this the call whose limits the sockets of this thread obey."""
        token = _current.set(self)
        try:
            yield
        finally:
            _current.reset(token)

    def remaining(self) -> float:
        """Return the seconds until the deadline, more than 0, or raise ``SendTimeoutError``."""
        seconds = self._end - monotonic()
        if seconds <= 0:
            raise self.timed_out()
        return seconds

    def connect_wait(self) -> float:
        """Return for how many seconds an attempt to connect, or a handshake, may wait."""
        return min(self._timeouts.connect, self.remaining())

    def read_wait(self) -> float:
        """Return for how many seconds the next receive or send may wait."""
        return min(self._timeouts.read, self.remaining())

    def timed_out(self) -> SendTimeoutError:
        """Return the error that says which limit ran out."""
        if monotonic() >= self._end:
            return SendTimeoutError(f"no complete answer within {self._timeouts.total:g} s")
        return SendTimeoutError("timed out waiting for the host")


def current_call() -> Call:
    """Return the call that this thread is making; ``LookupError`` if it makes none."""
    return _current.get()


def is_calling() -> bool:
    """Tell whether this thread is inside ``Client.send``."""
    return _current.get(None) is not None
