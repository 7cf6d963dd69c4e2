"""Sockets that obey the deadline of the running call.

A plain socket timeout starts again with each receive, so a host that sends one byte now and then
is never stopped by it. Here every wait is cut to what the call has left.
"""

import socket
import ssl
from typing import TYPE_CHECKING

from authservice.httpclient.call import current_call

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

# Large bodies are sent in pieces, so that a slow upload may take longer than one wait.
_PIECE_BYTES = 64 * 1024


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
