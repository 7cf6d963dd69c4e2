"""What the call that this thread is making may still do, and what its failures mean to the caller.

The libraries between ``Client.send`` and the socket pass time limits on as a limit for each
single receive, and addresses not at all. So the sockets ask here. There is no default: a socket
of ours used outside a call fails instead of running without limits.
"""

import gzip
import ssl
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from http.client import HTTPException
from time import monotonic

from requests.exceptions import ProxyError, RequestException
from urllib3.exceptions import HTTPError

from authservice.httpclient.address_policy import AddressPolicy
from authservice.httpclient.errors import (
    ConnectionFailedError,
    SendError,
    SendTimeoutError,
    TlsError,
)

FAILURES = (RequestException, HTTPError, HTTPException, OSError, EOFError, zlib.error)


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


def explained(error: BaseException, call: Call) -> SendError:
    """Return what an exception of the libraries below means for the caller.

    Nothing of the original text is kept but phrases of the operating system and of OpenSSL: the
    libraries quote whole addresses, their secrets included.
    """
    failure: SendError
    for cause in _causes(error):
        match cause:
            case TimeoutError():
                failure = call.timed_out()
            case ssl.SSLCertVerificationError():
                failure = TlsError(f"the certificate is not accepted: {cause.verify_message}")
            case (
                ssl.SSLEOFError()
                | ssl.SSLZeroReturnError()
                # Early Python 3.11 has no class of its own for it here.
                | ssl.SSLError(reason="UNEXPECTED_EOF_WHILE_READING")
            ):
                failure = ConnectionFailedError("the encrypted connection broke off")
            case ssl.SSLError():
                failure = TlsError(f"the encryption failed: {cause.reason}")
            case gzip.BadGzipFile() | EOFError() | zlib.error():
                failure = ConnectionFailedError("the gzip body is damaged or cut short")
            case ProxyError():
                failure = ConnectionFailedError("the proxy did not pass the request on")
            case OSError(strerror=str(phrase)):
                failure = ConnectionFailedError(f"the connection failed: {phrase}")
            case _:
                continue
        return failure
    return ConnectionFailedError("the answer broke off or is not valid HTTP")


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield the exceptions inside this one, the innermost first, then itself."""
    inside = [*error.args, getattr(error, "reason", None), error.__cause__]
    for cause in inside:
        if isinstance(cause, BaseException):
            yield from _causes(cause)
    yield error
