"""waitress' connections, less trusting: a request with two lengths is refused.

waitress would go by one of them and keep the connection. A proxy that goes by the other would
take what follows for the next request, of somebody else (RFC 9112, sections 6.1 and 11.2).
"""

from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError


class _RequestParser(HTTPRequestParser):  # type: ignore[misc]  # waitress has no types
    def parse_header(self, header_plus: bytes) -> None:
        super().parse_header(header_plus)
        if self.chunked and "CONTENT_LENGTH" in self.headers:
            raise ParsingError("Content-Length and Transfer-Encoding exclude each other")


class Channel(HTTPChannel):  # type: ignore[misc]  # waitress has no types
    """One connection of a client."""

    parser_class = _RequestParser
