"""How waitress reads requests here: what can be read in two ways, or not at all, is refused.

waitress would go by one way and keep the connection. A proxy that goes by the other would take
what follows for the next request, of somebody else (RFC 9112, sections 6.1 to 6.3 and 11.2).
"""

from typing import Any

from waitress.parser import HTTPRequestParser, ParsingError

from authservice.serving.waitress_chunks import Chunks

# More digits than any length that could be received; int() takes 4,300 at most.
_DIGITS = 18


class RequestParser(HTTPRequestParser):  # type: ignore[misc]  # waitress has no types
    """One request while it arrives."""

    # Told to the type checker, which cannot see it in waitress.
    body_rcv: Any = None

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
