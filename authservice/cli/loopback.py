"""A port at both addresses by which browsers reach localhost."""

import errno
import socket

PORT = 37960
"""That of local mode, as long as no other is named."""

_ADDRESSES = ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"))
_ATTEMPTS = 20


def listening(port: int) -> list[socket.socket]:
    """Return sockets that listen on a port, at each address that the machine has; raises OSError.

    0 stands for a port that is free. A client that connects from now on waits until it is served.
    """
    for _ in range(_ATTEMPTS):
        try:
            return _on_both(port)
        except OSError as error:
            # A port that is free at one address may be taken at the other.
            if port or error.errno != errno.EADDRINUSE:
                raise
    raise OSError(errno.EADDRINUSE, "no port is free at both 127.0.0.1 and [::1]")


def _on_both(port: int) -> list[socket.socket]:
    opened: list[socket.socket] = []
    try:
        for family, address in _ADDRESSES:
            try:
                one = socket.socket(family, socket.SOCK_STREAM)
            except OSError:
                # A kernel without IPv6.
                continue
            opened.append(one)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                one.bind((address, port))
            except OSError as error:
                if error.errno != errno.EADDRNOTAVAIL:
                    raise
                opened.remove(one)
                one.close()
                continue
            one.listen()
            port = one.getsockname()[1]
    except OSError:
        for one in opened:
            one.close()
        raise
    return opened
