"""Requests over real connections that two servers might read differently, or that never end.

A proxy and the server behind it must see the same requests. So what can be read in two ways is
refused, and nothing behind it on the connection is answered (RFC 9112, sections 6 and 11.2).
"""

import random
import re
import socket
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from tools.bench.databases.empty import EmptyDatabase
from tools.bench.service.checkouts import here
from tools.bench.service.deployment import Deployment
from tools.bench.service.variants import Variant
from tools.prove.fleet import serving
from tools.prove.outcome import Extent, Outcome

_CONNECTIONS: dict[Extent, int] = {"brief": 100, "quick": 5_000, "long": 200_000}
# Silence on a connection; loopback answers in less than a hundredth of it.
_PATIENCE = 0.1
_LONGEST_LINE = 1000  # characters
_HIDDEN = b"GET /api/auth/ok HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
_STATUS = re.compile(rb"^HTTP/1\.[01] (\d{3}) ", re.MULTILINE)
# Not Implemented, HTTP Version Not Supported: they are said of the request.
_REFUSALS = {501, 505}

_HELLO = b"hello"
_WRONG_LENGTHS = (
    b"+5",
    b"-1",
    b"0x5",
    b"5 5",
    b"5\x0b",
    b"1_0",
    b"9" * 30,
    b"9" * 5000,
    b"\xb2",
    b"5\x00",
    b"5;",
)
_WRONG_CODINGS = (
    *(b"xchunked", b"identity", b"chunked, identity", b"chunked\x0b", b'"chunked"', b"\x00chunked"),
    *(b"chunke", b"chunked;q=1", b"gzip", b"", b"chunked, chunked", b",chunked", b"gzip, chunked"),
    *(b"chunked\r\nTransfer-Encoding: chunked", b"\r\n chunked"),
)
# Where nothing says how long a body is that is said to be encoded.
_OTHER_VERSIONS = (b"1.0", b"1.2", b"2.0", b"0.9", b"1.10")
_CHUNKED = b"5\r\nhello\r\n0\r\n\r\n"
_WRONG_CHUNKS = (
    *(b"-5\r\nhello\r\n0\r\n\r\n", b"0x5\r\nhello\r\n0\r\n\r\n", b"+5\r\nhello\r\n0\r\n\r\n"),
    *(
        b"5\r\nhelloXX0\r\n\r\n",
        b"5;x\n\r\nhello\r\n0\r\n\r\n",
        b"g\r\n\r\n",
        b"5 \x00\r\nhello\r\n0\r\n\r\n",
        b"\xb2\r\nhi\r\n0\r\n\r\n",
    ),
    b"1_0\r\nhellohellohelloh\r\n0\r\n\r\n",
)
_LINES = (
    *(b"POST  /  HTTP/1.1", b"GET /\x00 HTTP/1.1", b"GET http://evil.example/ HTTP/1.1", b"GET /"),
    *(
        b"GET / HTTP/9.9",
        b"CONNECT evil.example:443 HTTP/1.1",
        b"PRI * HTTP/2.0",
        b"OPTIONS * HTTP/1.1",
    ),
    *(b"GET / HTTP/1.1\r", b"\r\nGET / HTTP/1.1", b"GET\t/\tHTTP/1.1", b"GET /\xff HTTP/1.1"),
    *(b"GET http://[::1/ HTTP/1.1", b"GET http://[v1.x]/ HTTP/1.1", b"GET http://a]/ HTTP/1.1"),
    *(b"GET //evil.example/ HTTP/1.1", b"get / http/1.1", b"GET /?" + b"x" * 40000 + b" HTTP/1.1"),
)
_HEADERS = (
    *(
        b"Host: evil.example",
        b"Host : localhost",
        b"Host:",
        b"X: a\r\n b",
        b"X: a\x00b",
        b"X: a\rb",
    ),
    *(
        b": nameless",
        b"no colon",
        b"X" * 9000 + b": y",
        b"X: " + b"y" * 70000,
        b"Content-Length : 5",
    ),
    *(
        b"Expect: 100-continue",
        b"Upgrade: h2c\r\nConnection: Upgrade",
        b"Connection: Content-Length",
    ),
)


class Sent(NamedTuple):
    """A request, and whether it can be read in two ways or in none."""

    content: bytes
    ambiguous: bool


def smuggle(extent: Extent) -> Outcome:
    """Send requests to a server, each on its own connection with another request behind it."""
    seed = random.SystemRandom().randrange(10**9)
    sys.stdout.write(f"  seed {seed}\n")
    chance = random.Random(seed)
    answered = Counter[str]()
    losses: list[str] = []
    with tempfile.TemporaryDirectory(prefix="prove-") as folder:
        log = Path(folder) / "processes.log"
        database = EmptyDatabase(f"sqlite:///{folder}/service.sqlite")
        deployment = Deployment(Variant("wire", here(), processes=1), Path(folder), database)
        with serving(deployment, deployment.ports, log) as fleet:
            for _ in range(_CONNECTIONS[extent]):
                sent = _drawn(chance)
                statuses = _answers(fleet.ports[0], sent.content + _HIDDEN)
                answered.update(f"answered {status // 100}xx" for status in statuses)
                losses += [
                    f"{rule}, upon {sent.content[:500]!r}" for rule in broken(sent, statuses)
                ]
        written = log.read_text("utf-8", "replace")
        if "Traceback" in written or " ERROR " in written:
            losses.append("the server has a failure of its own in its log")
        if any(len(line) > _LONGEST_LINE for line in written.splitlines()):
            losses.append("a request wrote a line to the log that is as long as it likes")
    figures = [("connections", _CONNECTIONS[extent]), *sorted(answered.items())]
    return Outcome("wire", figures, losses)


def broken(sent: Sent, statuses: list[int]) -> list[str]:
    """Return a sentence for each rule that the answers on one connection break."""
    found = []
    if any(status >= 500 and status not in _REFUSALS for status in statuses):
        found.append("the server fails")
    if sent.ambiguous and len(statuses) > 1:
        found.append("something hides behind a request that can be read in two ways")
    if sent.ambiguous and statuses and statuses[0] < 400:
        found.append("a request that can be read in two ways is answered")
    return found


def _drawn(chance: random.Random) -> Sent:
    kinds = (_length, _coding, _version, _chunks, _both, _two_lengths, _line, _header)
    return chance.choice(kinds)(chance)


def _post(headers: list[bytes], body: bytes) -> bytes:
    first = [b"POST /api/auth/oauth2/token HTTP/1.1", b"Host: localhost"]
    return b"\r\n".join([*first, *headers, b"", body])


def _length(chance: random.Random) -> Sent:
    return Sent(
        _post([b"Content-Length: " + chance.choice(_WRONG_LENGTHS)], _HELLO), ambiguous=True
    )


def _coding(chance: random.Random) -> Sent:
    name = chance.choice((b"Transfer-Encoding", b"transfer-encoding"))
    return Sent(_post([name + b": " + chance.choice(_WRONG_CODINGS)], _CHUNKED), ambiguous=True)


def _version(chance: random.Random) -> Sent:
    request = _post([b"Transfer-Encoding: chunked", b"Connection: keep-alive"], _CHUNKED)
    version = b"HTTP/" + chance.choice(_OTHER_VERSIONS)
    return Sent(request.replace(b"HTTP/1.1", version), ambiguous=True)


def _chunks(chance: random.Random) -> Sent:
    body = chance.choice(_WRONG_CHUNKS)
    return Sent(_post([b"Transfer-Encoding: chunked"], body), ambiguous=True)


def _both(chance: random.Random) -> Sent:
    coding = chance.choice((b"chunked", b"CHUNKED", b"\tchunked", b"chunked "))
    headers = [b"Transfer-Encoding: " + coding, b"Content-Length: " + chance.choice((b"5", b"0"))]
    chance.shuffle(headers)
    return Sent(_post(headers, _CHUNKED), ambiguous=True)


def _two_lengths(chance: random.Random) -> Sent:
    lengths = chance.sample((b"5", b"0", b"6", b"05", b""), 2)
    headers = [b"Content-Length: " + length for length in lengths]
    return Sent(_post(headers, _HELLO), ambiguous=True)


def _line(chance: random.Random) -> Sent:
    return Sent(chance.choice(_LINES) + b"\r\nHost: localhost\r\n\r\n", ambiguous=False)


def _header(chance: random.Random) -> Sent:
    headers = chance.sample(_HEADERS, 2)
    line = b"GET /api/auth/ok HTTP/1.1\r\nHost: localhost\r\n"
    return Sent(line + b"\r\n".join(headers) + b"\r\n\r\n", ambiguous=False)


def _answers(port: int, content: bytes) -> list[int]:
    """Return the statuses that came back before the server closed or fell silent."""
    received = b""
    with socket.create_connection(("127.0.0.1", port), timeout=_PATIENCE) as connection:
        try:
            connection.sendall(content)
            while piece := connection.recv(65536):
                received += piece
        except OSError:
            # It waits for more, or has hung up on what it had not read.
            pass
    return [int(status) for status in _STATUS.findall(received)]
