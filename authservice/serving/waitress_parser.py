"""How waitress reads requests here: what can be read in two ways, or not at all, is refused.

waitress would go by one way and keep the connection. A proxy that goes by the other would take
what follows for the next request, of another sender (RFC 9112, sections 6.1 to 6.3 and 11.2).
"""

from copy import copy
from typing import Any

from waitress.parser import HTTPRequestParser, ParsingError

from authservice.serving.waitress_chunks import Chunks
from authservice.web.gates.junk_guard import MAX_BODY, max_body

# More digits than any length that could be received; int() takes 4,300 at most.
_DIGITS = 18


class RequestParser(HTTPRequestParser):  # type: ignore[misc]  # waitress has no types
    """One request while it arrives."""

    # Told to the type checker, which cannot see it in waitress.
    adj: Any
    body_rcv: Any = None
    path: str

    def parse_header(self, header_plus: bytes) -> None:
        """Read the request line and the headers; raises ParsingError where they are refused."""
        if b"\r\n " in header_plus or b"\r\n\t" in header_plus:
            raise ParsingError("A header must not go on in the next line")
        try:
            super().parse_header(header_plus)
        except ValueError:
            if not self._is_endless():
                raise ParsingError("The request target is not an address") from None
            # What is announced so is refused as any other body that is too long.
            self.content_length = self.adj.max_request_body_size
        if self.version not in {"1.0", "1.1"}:
            raise ParsingError("The version of HTTP must be 1.0 or 1.1")
        # It is taken out of requests of HTTP/1.1.
        if "TRANSFER_ENCODING" in self.headers:
            raise ParsingError("Transfer-Encoding needs HTTP/1.1")
        if b"transfer-encoding" in header_plus.lower():
            self._check_coding(header_plus)
        if self.chunked:
            self.body_rcv = Chunks(self.body_rcv.getbuf())
        if self.body_rcv is not None and max_body(self.path) > MAX_BODY:
            self._take_more(max_body(self.path))

    def _take_more(self, longest: int) -> None:
        """Let this one body be as long as its path allows, in memory; all others keep their limit.

        waitress refuses what is as long as its limit.
        """
        self.adj = copy(self.adj)
        self.adj.max_request_body_size = max(self.adj.max_request_body_size, longest + 1)
        self.body_rcv.getbuf().overflow = longest + 1

    def _is_endless(self) -> bool:
        length: str = self.headers.get("CONTENT_LENGTH", "")
        return len(length) > _DIGITS and length.isascii() and length.isdigit()

    def _check_coding(self, header_plus: bytes) -> None:
        lines = [line.partition(b":") for line in header_plus.lower().split(b"\r\n")[1:]]
        codings = [value.strip(b" \t") for name, _, value in lines if name == b"transfer-encoding"]
        if codings not in ([], [b"chunked"]):
            raise ParsingError("Transfer-Encoding must be chunked, once")
        if self.chunked and "CONTENT_LENGTH" in self.headers:
            raise ParsingError("Content-Length and Transfer-Encoding exclude each other")
