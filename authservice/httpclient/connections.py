"""urllib3's connections and pools, with our sockets below and our reading of answers above.

A plain socket timeout starts again with each receive, so a host that sends one byte now and then
is never stopped by it. Here every wait is cut to what the call has left.

A name is looked up once. Every address found must pass the policy, and the connection goes to one
of exactly these addresses: a name that resolves differently a moment later (DNS rebinding) gains
nothing. TLS still asks for, and checks, the name.

Where the standard library reads an answer too leniently, it is read as RFC 9112 says: each rule
keeps a body from being cut short, or from growing without limit, unnoticed.
"""

import http.client
import io
import re
import socket
import ssl
from collections.abc import Iterable, Sequence
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any

from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import HeaderParsingError
from urllib3.util.response import assert_header_parsing

from authservice.httpclient.address_policy import AddressPolicy, destination
from authservice.httpclient.call import Call, current_call
from authservice.httpclient.errors import (
    AddressRefusedError,
    ConnectionFailedError,
    InvalidRequestError,
    SendError,
    SendTimeoutError,
)

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

# Large bodies are sent in pieces, so that a slow upload may take longer than one wait.
_PIECE_BYTES = 64 * 1024
_SWITCHING_PROTOCOLS = 101
_FIRST_FINAL = 200

SocketOption = tuple[int, int, int | bytes]
_Endpoint = tuple[
    socket.AddressFamily,
    socket.SocketKind,
    int,
    str,
    tuple[str, int] | tuple[str, int, int, int] | tuple[int, bytes],
]


class DeadlineSocket(socket.socket):
    """A TCP socket whose waits end with the call."""

    def recv(self, buflen: int = 1024, flags: int = 0) -> bytes:
        """Receive at most ``buflen`` bytes, in time."""
        self.settimeout(current_call().read_wait())
        return super().recv(buflen, flags)

    def recv_into(
        self, buffer: "WriteableBuffer", nbytes: int | None = None, flags: int = 0
    ) -> int:
        """Receive into the buffer, in time."""
        self.settimeout(current_call().read_wait())
        return super().recv_into(buffer, nbytes or memoryview(buffer).nbytes, flags)

    def sendall(self, data: "ReadableBuffer", flags: int = 0) -> None:
        """Send everything, each piece in time."""
        with memoryview(data) as view:
            for start in range(0, len(view), _PIECE_BYTES):
                self.settimeout(current_call().read_wait())
                super().sendall(view[start : start + _PIECE_BYTES], flags)


class DeadlineTlsSocket(DeadlineSocket, ssl.SSLSocket):
    """A TLS socket whose waits end with the call."""

    def do_handshake(self, block: bool = False) -> None:  # noqa: FBT001, FBT002  (the library's signature)
        """Agree on keys, in time."""
        self.settimeout(current_call().connect_wait())
        super().do_handshake(block)


def dial(host: str, port: int, options: Iterable[SocketOption]) -> socket.socket:
    """Return a socket connected to the host, or raise the ``SendError`` that says why not."""
    call = current_call()
    endpoints = _look_up(host, port, call)
    if call.address_policy is not None:
        _check(endpoints, call.address_policy)
    failure: SendError = ConnectionFailedError("the host name has no address")
    for endpoint in endpoints:
        wait = call.connect_wait()
        try:
            return _connected(endpoint, wait, options)
        except TimeoutError:
            failure = SendTimeoutError("no connection came about in time")
        except OSError as error:
            failure = ConnectionFailedError(f"cannot connect: {error.strerror}")
    raise failure


def _look_up(host: str, port: int, call: Call) -> Sequence[_Endpoint]:
    # The system's resolver cannot be interrupted; a thread can be left behind.
    results: SimpleQueue[Sequence[_Endpoint] | Exception] = SimpleQueue()

    def ask() -> None:
        try:
            results.put(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as error:
            results.put(error)

    Thread(target=ask, name=f"look up {host}", daemon=True).start()
    try:
        result = results.get(timeout=call.remaining())
    except Empty:
        result = call.timed_out()
    match result:
        case SendError():
            raise result
        case UnicodeError():
            raise InvalidRequestError("the host name is not valid")
        case Exception():
            raise ConnectionFailedError("the host name cannot be resolved")
    return result


def _connected(endpoint: _Endpoint, wait: float, options: Iterable[SocketOption]) -> socket.socket:
    sock = DeadlineSocket(*endpoint[:3])
    try:
        for option in options:
            sock.setsockopt(*option)
        sock.settimeout(wait)
        sock.connect(endpoint[4])
    except OSError:
        sock.close()
        raise
    return sock


def _check(endpoints: Sequence[_Endpoint], policy: AddressPolicy) -> None:
    for endpoint in endpoints:
        address = str(endpoint[4][0])
        if not policy(destination(address)):
            raise AddressRefusedError(f"the address policy refuses {address}")


class _WholeLines(io.BufferedReader):
    def readline(self, size: int | None = -1, /) -> bytes:
        line = super().readline(size)
        if not line.endswith(b"\n") and len(line) != size:
            # The library would take the end of the connection for the end of the headers.
            raise http.client.IncompleteRead(line)
        return line


class StrictResponse(http.client.HTTPResponse):
    """Reads the final answer, and refuses one whose body would have no certain end."""

    def __init__(self, sock: socket.socket, *args: Any, **options: Any) -> None:  # noqa: ANN401  (the library's arguments)
        super().__init__(sock, *args, **options)
        self.fp = _WholeLines(self.fp.detach())

    def begin(self) -> None:
        """Read status line and headers."""
        super().begin()
        try:
            assert_header_parsing(self.headers)
        except HeaderParsingError:
            # The headers after the malformed line are lost, the Content-Length perhaps with them.
            raise http.client.HTTPException("malformed header") from None
        codings = self.headers.get_all("Transfer-Encoding", [])
        if codings and [coding.strip().lower() for coding in codings] != ["chunked"]:
            raise http.client.HTTPException("unknown transfer coding")
        lengths = self.headers.get_all("Content-Length", [])
        if not all(re.fullmatch(r"[0-9]+[ \t]*", length) for length in lengths):
            raise http.client.HTTPException("the length is not a number")

    def _read_status(self) -> tuple[str, int, str]:
        # The library skips 100 only and would take 103 for the answer (RFC 9110 section 15.2).
        while True:
            version, status, reason = super()._read_status()  # type: ignore[misc]
            if status >= _FIRST_FINAL:
                return version, status, reason
            if status == _SWITCHING_PROTOCOLS:
                raise http.client.HTTPException("switches to a protocol that was not asked for")
            http.client.parse_headers(self.fp)

    def _read_next_chunk_size(self) -> int:
        size: int = super()._read_next_chunk_size()  # type: ignore[misc]
        if size < 0:
            # The library would read on to the end of the stream, past every limit.
            raise ValueError("negative chunk size")
        return size


class Connection(HTTPConnection):
    """A connection that obeys the limits of the running call."""

    response_class = StrictResponse

    def _new_conn(self) -> socket.socket:
        return dial(self._dns_host, self.port, self.socket_options or [])


class TlsConnection(Connection, HTTPSConnection):
    """The same, encrypted."""

    def connect(self) -> None:
        """Connect, shake hands and check the certificate against the host name."""
        super().connect()
        # A stream that ends without TLS's own goodbye may have been cut by an attacker on the way.
        sock: Any = self.sock
        sock.suppress_ragged_eofs = False


class Pool(HTTPConnectionPool):
    """Keeps connections to one host."""

    ConnectionCls = Connection


class TlsPool(HTTPSConnectionPool):
    """Keeps encrypted connections to one host."""

    ConnectionCls = TlsConnection


POOL_CLASSES: dict[str, type[HTTPConnectionPool]] = {"http": Pool, "https": TlsPool}
