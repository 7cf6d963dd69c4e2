"""From a host name to a connected socket, past the address policy.

The name is looked up once. Every address found must pass, and the connection goes to one of
exactly these addresses: a name that resolves differently a moment later (DNS rebinding) gains
nothing. TLS still asks for, and checks, the name.
"""

import socket
from collections.abc import Iterable, Sequence
from queue import Empty, SimpleQueue
from threading import Thread

from authservice.httpclient.call import Call, current_call
from authservice.httpclient.errors import (
    AddressRefusedError,
    ConnectionFailedError,
    InvalidRequestError,
    SendError,
    SendTimeoutError,
)
from authservice.httpclient.wire.address_policy import AddressPolicy, destination
from authservice.httpclient.wire.sockets import DeadlineSocket

SocketOption = tuple[int, int, int | bytes]
_Endpoint = tuple[
    socket.AddressFamily,
    socket.SocketKind,
    int,
    str,
    tuple[str, int] | tuple[str, int, int, int] | tuple[int, bytes],
]


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
