"""A small forward proxy on loopback: it passes CONNECT on to hosts that only it can look up."""

import base64
import select
import socket
import threading
from contextlib import suppress


class ForwardProxy:
    """Connects to the ports that ``hosts`` gives for names; others are refused.

    With credentials, such as ``user:password``, it demands them.
    """

    def __init__(self, hosts, *, credentials=None):
        self.hosts = hosts
        self.requests = []
        self._wanted = credentials
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        self._threads = []
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def close(self):
        self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self._thread.join()
        for thread in self._threads:
            thread.join()

    def _accept(self):
        with suppress(OSError):
            while True:
                sock, _ = self._server.accept()
                thread = threading.Thread(target=self._serve, args=[sock], daemon=True)
                thread.start()
                self._threads.append(thread)

    def _serve(self, sock):
        with sock, suppress(OSError):
            head = b""
            while b"\r\n\r\n" not in head:
                data = sock.recv(65536)
                if not data:
                    return
                head += data
            line, *headers = head.decode("latin-1").partition("\r\n\r\n")[0].split("\r\n")
            method, target, _ = line.split(" ")
            self.requests.append((method, target))
            if not self._may(headers):
                sock.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n")
                return
            port = self.hosts.get(target)
            if method != "CONNECT" or port is None:
                sock.sendall(b"HTTP/1.1 403 Forbidden\r\n\r\n")
                return
            with socket.create_connection(("127.0.0.1", port)) as upstream:
                sock.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                _join(sock, upstream)

    def _may(self, headers):
        if self._wanted is None:
            return True
        basic = base64.b64encode(self._wanted.encode()).decode()
        return f"Proxy-Authorization: Basic {basic}".lower() in map(str.lower, headers)


def _join(one, other):
    far = {one: other, other: one}
    while True:
        for ready in select.select(list(far), [], [])[0]:
            data = ready.recv(65536)
            if not data:
                return
            far[ready].sendall(data)
