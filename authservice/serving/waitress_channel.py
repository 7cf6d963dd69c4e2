"""A connection of waitress that is served one request at a time, and knows what it waits for."""

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
    request: RequestParser | None
    sent_continue: bool

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401  (as its base)
        self.waiting_since = monotonic()
        """When it began to wait for its client; inf while a request is answered."""
        self.is_new = True
        """Whether no request of it was answered yet."""
        self._following = b""
        super().__init__(*arguments, **options)

    @property
    def waits_for_its_client(self) -> bool:
        """Tell whether nothing is done for it here, though part of a request may have come."""
        return not self.requests and self.waiting_since < inf

    @property
    def has_unread_answer(self) -> bool:
        """Tell whether an answer is complete that its client has not taken.

        Where the network holds all of it and takes no more, what follows waits for that.
        """
        return self.waits_for_its_client and bool(self.total_outbufs_len or self._following)

    def readable(self) -> bool:
        """Tell whether to read more: not before what has come is dealt with."""
        return not self._following and bool(super().readable())

    def writable(self) -> bool:
        """Tell whether there is something to send, or to do once all is sent."""
        return bool(super().writable() or (self._following and not self.requests))

    def handle_write(self) -> None:
        """Send what there is to send; the next request has its turn when all is sent."""
        super().handle_write()
        if self._following and self.connected and not (self.requests or self.total_outbufs_len):
            following, self._following = self._following, b""
            self.received(following)

    def received(self, data: bytes) -> bool:
        """Take what the client sent, as far as one request; one that begins TLS is cut off.

        waitress would answer all that came at once, for a client that need not take any of it:
        its threads wait where too much is not taken.
        """
        # No method begins so: it is the type of TLS's handshake records (RFC 8446, section 5.1).
        if self.request is None and not self.requests and data.startswith(_HANDSHAKE):
            # It would wait for ever.
            _log.warning("a client began TLS, but this port speaks plain HTTP: open it by http://")
            self.handle_close()
            return False
        with self.requests_lock:
            # A thread may have decided so since it was found to be readable.
            if self.will_close or self.close_when_flushed:
                return False
            while data and not self.requests:
                data = data[self._take(data) :]
            self._following += data
        return True

    def _take(self, data: bytes) -> int:
        """Return how many bytes the request that arrives takes; a complete one is answered."""
        self.request = request = self.request or self.parser_class(self.adj)
        taken: int = request.received(data)
        if request.completed:
            self.request, self.sent_continue = None, False
            # Nothing but empty lines may precede a request.
            if not request.empty:
                self.requests.append(request)
                self.server.add_task(self)
        elif request.expect_continue and request.headers_finished and not self.sent_continue:
            # It takes the request for one that is not complete (RFC 9110, section 10.1.1).
            self.send_continue()
        return taken

    def service(self) -> None:
        """Answer a request, in a thread."""
        self.waiting_since, self.is_new = inf, False
        try:
            super().service()
        finally:
            self.waiting_since = monotonic()

    def handle_error(self) -> None:
        """Close the connection, and say why in a line that no client can make longer."""
        _log.error("closing a connection upon %s", type(sys.exception()).__name__)
        self.handle_close()
