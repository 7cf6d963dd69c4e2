"""How waitress reads requests here: what can be read in two ways, or not at all, is refused.

waitress would go by one way and keep the connection. A proxy that goes by the other would take
what follows for the next request, of somebody else (RFC 9112, sections 6.1 to 6.3 and 11.2).
"""

from waitress.parser import HTTPRequestParser, ParsingError

# More digits than any length that could be received; int() takes 4,300 at most.
_DIGITS = 18


class RequestParser(HTTPRequestParser):  # type: ignore[misc]  # waitress has no types
    """One request while it arrives."""

    def parse_header(self, header_plus: bytes) -> None:
        """Read the request line and the headers; raises ParsingError where they are refused."""
        try:
            super().parse_header(header_plus)
        except ValueError:
            if not self._is_endless():
                raise ParsingError("The request target is not an address") from None
            # What is announced so is refused as any other body that is too long.
            self.content_length = self.adj.max_request_body_size
        if self.chunked and "CONTENT_LENGTH" in self.headers:
            raise ParsingError("Content-Length and Transfer-Encoding exclude each other")

    def _is_endless(self) -> bool:
        length: str = self.headers.get("CONTENT_LENGTH", "")
        return len(length) > _DIGITS and length.isascii() and length.isdigit()
