"""A connection of waitress that knows since when it waits for its client."""

import logging
import sys
from math import inf
from time import monotonic
from typing import Any

from waitress.channel import HTTPChannel

from authservice.serving.waitress_parser import RequestParser

_log = logging.getLogger(__name__)


class Channel(HTTPChannel):  # type: ignore[misc]  # waitress has no types
    """One connection of a client."""

    parser_class = RequestParser

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

    def handle_error(self) -> None:
        """Close the connection, and say why in a line that no client can make longer."""
        _log.error("closing a connection upon %s", type(sys.exception()).__name__)
        self.handle_close()
