"""A server on loopback that sends exactly the bytes a test wants, malformed ones too."""

import socket
import ssl
import struct
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True)
class Received:
    """A request as it arrived."""

    method: str
    target: str
    headers: list[tuple[str, str]]
    body: bytes

    def values(self, name: str) -> list[str]:
        return [value for key, value in self.headers if key.lower() == name.lower()]


class Peer:
    """The server's end of one connection."""

    def __init__(self, sock: socket.socket, server: "RawServer") -> None:
        self.sock = sock
        self.server = server
        self._file = sock.makefile("rb")

    def request(self) -> Received | None:
        """Read a request; None when the client is gone."""
        start = self._file.readline()
        if not start:
            return None
        method, target, _ = start.decode("ascii").split(" ")
        headers = []
        while (line := self._file.readline().rstrip(b"\r\n")) != b"":
            name, _, value = line.decode("latin-1").partition(": ")
            headers.append((name, value))
        received = Received(method, target, headers, b"")
        length = int((received.values("Content-Length") or ["0"])[0])
        received = Received(method, target, headers, self._file.read(length))
        self.server.received.append(received)
        return received

    def send(self, data: bytes) -> None:
        self.sock.sendall(data)

    def drip(self, data: bytes) -> None:
        """Send the same again and again, with pauses, until the client hangs up."""
        while not self.server.stopping.wait(0.01):
            self.send(data)

    def wait_for_hang_up(self) -> None:
        while self._file.read(65536):
            pass

    def reset(self) -> None:
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def close(self) -> None:
        # Not SSLSocket.unwrap: TLS's goodbye is sent only by a script that wants it.
        self._file.close()
        self.sock.close()


Script = Callable[[Peer], None]


class RawServer:
    """Runs the script on each connection, in a thread of its own."""

    def __init__(
        self, script: Script, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None
    ) -> None:
        self.received: list[Received] = []
        self.connections: list[tuple[str, int]] = []
        self.stopping = threading.Event()
        self._script = script
        self._tls = tls
        self._listener = socket.create_server((host, 0))
        self._peers: list[Peer] = []
        self._threads = [threading.Thread(target=self._accept)]
        self.port: int = self._listener.getsockname()[1]
        self.url = f"{'https' if tls else 'http'}://{host}:{self.port}"

    def __enter__(self) -> Self:
        self._threads[0].start()
        return self

    def __exit__(self, *_exc_info: object) -> None:
        self.stopping.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._threads[0].join()
        self._listener.close()
        for peer in self._peers:
            with suppress(OSError):
                peer.sock.shutdown(socket.SHUT_RDWR)
        self.wait_for_scripts()

    def wait_for_scripts(self) -> None:
        """Return when every connection so far is done with and closed."""
        for thread in self._threads[1:]:
            thread.join()

    def _accept(self) -> None:
        while True:
            try:
                sock, address = self._listener.accept()
            except OSError:
                return
            self.connections.append(address)
            thread = threading.Thread(target=self._serve, args=(sock,))
            self._threads.append(thread)
            thread.start()

    def _serve(self, sock: socket.socket) -> None:
        try:
            if self._tls is not None:
                sock = self._tls.wrap_socket(sock, server_side=True)
        except OSError:
            sock.close()
            return
        peer = Peer(sock, self)
        self._peers.append(peer)
        with suppress(OSError):
            self._script(peer)
        with suppress(OSError):
            peer.close()


def answer(
    status: str = "200 OK", body: bytes = b"", headers: tuple[str, ...] = (), **more: str
) -> bytes:
    """Build a well-formed answer with a Content-Length."""
    lines = [f"HTTP/1.1 {status}", *headers, f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in more.items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def replies(*raw: bytes) -> Script:
    """Send one of these for each request, whatever connection it comes on; then hang up."""
    remaining = iter(raw)

    def script(peer: Peer) -> None:
        while peer.request() is not None:
            data = next(remaining, None)
            if data is None:
                return
            peer.send(data)

    return script


def replies_once(raw: bytes) -> Script:
    """Send this for the first request and hang up."""

    def script(peer: Peer) -> None:
        peer.request()
        peer.send(raw)

    return script
