"""A connection of waitress that knows since when it waits for its client."""

import logging
import sys
from math import inf
from time import monotonic
from typing import Any

from waitress.channel import HTTPChannel
from waitress.task import ErrorTask

from authservice.serving.waitress_parser import RequestParser

_log = logging.getLogger(__name__)

_HANDSHAKE = b"\x16"


class _ErrorTask(ErrorTask):  # type: ignore[misc]  # waitress has no types
    """What is answered to a request that was refused while it arrived."""

    @property
    def has_body(self) -> bool:
        """Tell whether the answer has a body: none that is for HEAD has (RFC 9110, 9.3.2)."""
        return getattr(self.request, "command", "") != "HEAD" and super().has_body

    def write(self, data: bytes) -> None:
        """Send the headers, and the body where there is one."""
        super().write(data if self.has_body else b"")


class Channel(HTTPChannel):  # type: ignore[misc]  # waitress has no types
    """One connection of a client."""

    parser_class = RequestParser
    error_task_class = _ErrorTask

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401  (as its base)
        self.waiting_since = monotonic()
        """When it began to wait for a request to be complete; inf while one is answered."""
        super().__init__(*arguments, **options)

    @property
    def waits_for_its_client(self) -> bool:
        """Tell whether nothing is done for it here, though part of a request may have come."""
        return not self.requests and self.waiting_since < inf

    def received(self, data: bytes) -> bool:
        """Take what the client sent; one that begins TLS would wait for ever, and is cut off."""
        # No method begins so: it is the type of TLS's handshake records (RFC 8446, section 5.1).
        if self.request is None and not self.requests and data.startswith(_HANDSHAKE):
            _log.warning("a client began TLS, but this port speaks plain HTTP: open it by http://")
            self.handle_close()
            return False
        return bool(super().received(data))

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
