"""waitress' connections, less trusting: a request with two lengths is refused.

waitress would go by one of them and keep the connection. A proxy that goes by the other would
take what follows for the next request, of somebody else (RFC 9112, sections 6.1 and 11.2).
"""

from math import inf
from time import monotonic
from typing import Any

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

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401  (as its base)
        self.waiting_since = monotonic()
        """When it began to wait for a request to be complete; inf while one is answered."""
        super().__init__(*arguments, **options)

    @property
    def waits_for_its_client(self) -> bool:
        """Tell whether nothing is done for it here, though part of a request may have come."""
        return not self.requests and self.waiting_since < inf

    def service(self) -> None:
        """Answer a request, in a thread."""
        self.waiting_since = inf
        try:
            super().service()
        finally:
            self.waiting_since = monotonic()
