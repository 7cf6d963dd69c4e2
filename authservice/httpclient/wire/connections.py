"""urllib3's connections and pools, with our sockets below and our reading of answers above."""

import socket
from typing import Any

from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

from authservice.httpclient.wire.dialing import dial
from authservice.httpclient.wire.wire_response import StrictResponse


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
