"""The body of an answer, decompressed, up to a limit."""

import gzip

from urllib3 import BaseHTTPResponse

from authservice.httpclient.errors import BodyTooLargeError

_PIECE_BYTES = 64 * 1024
# Only gzip is asked for. It is decoded here because the standard library's reader, unlike that of
# urllib3, notices a stream that was cut short.
_GZIP = {"gzip", "x-gzip"}


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
