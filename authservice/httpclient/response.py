"""What came back, its body decompressed and up to a limit."""

import gzip
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from urllib3 import BaseHTTPResponse

from authservice.httpclient.errors import BodyTooLargeError

_PIECE_BYTES = 64 * 1024
# Requests accept gzip only. It is decoded here because the standard library's reader, unlike
# that of urllib3, notices a stream that was cut short.
_GZIP = {"gzip", "x-gzip"}


class Headers(Mapping[str, list[str]]):
    """Maps a header name, in any letter case, to the values it was sent with, in order.

    Values of a repeated header stay apart: Set-Cookie cannot be joined (RFC 9110 section 5.3).
    """

    def __init__(self, fields: Iterable[tuple[str, str]] = ()) -> None:
        self._fields: dict[str, tuple[str, list[str]]] = {}
        for name, value in fields:
            self._fields.setdefault(name.lower(), (name, []))[1].append(value.strip(" \t"))

    def __getitem__(self, name: str) -> list[str]:
        return list(self._fields[name.lower()][1])

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self._fields.values())

    def __len__(self) -> int:
        return len(self._fields)

    def __repr__(self) -> str:
        return f"<Headers {list(self)}>"


@dataclass(frozen=True)
class Response:
    """Holds the answer of the host, whatever its status code.

    ``body`` is decompressed; ``headers`` are as they were received, so Content-Encoding and
    Content-Length describe the body as it travelled.
    """

    status_code: int
    body: bytes
    headers: Headers

    def __repr__(self) -> str:
        return f"<Response {self.status_code} {list(self.headers)} body={len(self.body)} bytes>"


def read_body(raw: BaseHTTPResponse, limit: int) -> bytes:
    """Return the whole body, or raise ``BodyTooLargeError`` as soon as it is past the limit."""
    coding = raw.headers.get("Content-Encoding", "").strip().lower()
    stream = gzip.GzipFile(fileobj=raw) if coding in _GZIP else raw
    body = bytearray()
    while piece := stream.read(_PIECE_BYTES):
        body += piece
        if len(body) > limit:
            raise BodyTooLargeError(f"the body is larger than {limit} bytes")
    return bytes(body)
