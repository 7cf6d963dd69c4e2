"""HTTP/1.1 as bytes: requests that are made once and sent often, and the answers to them."""

import base64
import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import quote, urlencode

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_STATUS = slice(9, 12)  # HTTP/1.1 200 OK


class WrongAnswerError(Exception):
    """The server answered, but not what the case expects."""


class Answer(NamedTuple):
    """One answer as it came off the wire."""

    status: int
    head: bytes
    body: bytes

    def header(self, name: str) -> str:
        """Return a header's value, empty when it is not there."""
        return next(iter(self.headers(name)), "")

    def headers(self, name: str) -> list[str]:
        """Return every value of a header."""
        lines = (line.partition(b":") for line in self.head.split(b"\r\n"))
        wanted = name.lower().encode()
        return [value.strip().decode() for key, _, value in lines if key.lower() == wanted]


def parse(received: bytes) -> Answer | None:
    """Return the answer, or None as long as some of it is missing.

    Raises WrongAnswerError for an answer without Content-Length: the service sends none.
    """
    end = received.find(b"\r\n\r\n")
    if end < 0:
        return None
    head = received[:end]
    length = _LENGTH.search(head)
    if length is None:
        raise WrongAnswerError(f"an answer without Content-Length: {head[:200]!r}")
    body = received[end + 4 :]
    if len(body) < int(length[1]):
        return None
    return Answer(int(head[_STATUS]), head, body)


def get(host: str, path: str, headers: Mapping[str, str] | None = None) -> bytes:
    """Return a GET request."""
    return _request("GET", host, path, headers or {}, "")


def post_form(
    host: str,
    path: str,
    form: Mapping[str, str],
    headers: Mapping[str, str] | None = None,
) -> bytes:
    """Return a POST request with a form."""
    content_type = {"Content-Type": "application/x-www-form-urlencoded"}
    return _request("POST", host, path, content_type | dict(headers or {}), urlencode(form))


def basic(client_id: str, secret: str) -> str:
    """Return the Authorization header of a client (RFC 6749, section 2.3.1)."""
    pair = f"{quote(client_id, safe='')}:{quote(secret, safe='')}"
    return f"Basic {base64.b64encode(pair.encode()).decode()}"


def _request(method: str, host: str, path: str, headers: Mapping[str, str], body: str) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    if method == "POST":
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", body]).encode()
