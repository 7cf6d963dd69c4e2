"""Where the standard library reads an answer too leniently, this reads it as RFC 9112 says.

Each rule keeps a body from being cut short, or from growing without limit, unnoticed.
"""

import http.client
import io
import re
import socket
from typing import Any

from urllib3.exceptions import HeaderParsingError
from urllib3.util.response import assert_header_parsing

_SWITCHING_PROTOCOLS = 101
_FIRST_FINAL = 200


class _WholeLines(io.BufferedReader):
    def readline(self, size: int | None = -1, /) -> bytes:
        line = super().readline(size)
        if not line.endswith(b"\n") and len(line) != size:
            # The library would take the end of the connection for the end of the headers.
            raise http.client.IncompleteRead(line)
        return line


class StrictResponse(http.client.HTTPResponse):
    """Reads the final answer, and refuses one whose body would have no certain end."""

    def __init__(self, sock: socket.socket, *args: Any, **options: Any) -> None:  # noqa: ANN401  (the library's arguments)
        super().__init__(sock, *args, **options)
        self.fp = _WholeLines(self.fp.detach())

    def begin(self) -> None:
        """Read status line and headers."""
        super().begin()
        try:
            assert_header_parsing(self.headers)
        except HeaderParsingError:
            # The headers after the malformed line are lost, the Content-Length perhaps with them.
            raise http.client.HTTPException("malformed header") from None
        codings = self.headers.get_all("Transfer-Encoding", [])
        if codings and [coding.strip().lower() for coding in codings] != ["chunked"]:
            raise http.client.HTTPException("unknown transfer coding")
        lengths = self.headers.get_all("Content-Length", [])
        if not all(re.fullmatch(r"[0-9]+[ \t]*", length) for length in lengths):
            raise http.client.HTTPException("the length is not a number")

    def _read_status(self) -> tuple[str, int, str]:
        # The library skips 100 only and would take 103 for the answer (RFC 9110 section 15.2).
        while True:
            version, status, reason = super()._read_status()  # type: ignore[misc]
            if status >= _FIRST_FINAL:
                return version, status, reason
            if status == _SWITCHING_PROTOCOLS:
                raise http.client.HTTPException("switches to a protocol that was not asked for")
            http.client.parse_headers(self.fp)

    def _read_next_chunk_size(self) -> int:
        size: int = super()._read_next_chunk_size()  # type: ignore[misc]
        if size < 0:
            # The library would read on to the end of the stream, past every limit.
            raise ValueError("negative chunk size")
        return size
