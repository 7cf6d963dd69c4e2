"""A connection of waitress: it reads requests strictly, and serves them one at a time.

What can be read in two ways, or not at all, is refused. waitress would go by one way and keep the
connection. A proxy that goes by the other would take what follows for the next request, of another
sender (RFC 9112, sections 6.1 to 6.3 and 11.2).
"""

import logging
import socket
import sys
import threading
from copy import copy
from functools import partial
from math import inf
from time import monotonic
from typing import Any

from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.receiver import ChunkedReceiver
from waitress.task import ErrorTask, Task, WSGITask
from waitress.utilities import BadRequest, RequestEntityTooLarge

from authservice.web.gates.junk_guard import MAX_BODY, max_body

_log = logging.getLogger(__name__)

_HANDSHAKE = b"\x16"
_LINE_END = b"\r\n"
# As many of the longest ones at once as anybody sends.
_MOST_TOGETHER = 16 * 1024 * 1024
# What a proxy passes on at the most (docs/deployment).
_MOST_DROPPED = 1024 * 1024
# More digits than any length that could be received; int() takes 4,300 at most.
_DIGITS = 18


class Bodies:
    """How long bodies may be, and how much of all that has come is not answered yet.

    One thread receives; others answer.
    """

    def __init__(self, *, takes_events: bool) -> None:
        """``takes_events`` is as for ``max_body``."""
        self._takes_events = takes_events
        self._lock = threading.Lock()
        # In the order in which they began.
        self._lengths: dict[Channel, int] = {}
        self._together = 0

    def longest(self, path: str) -> int:
        """Return how many bytes the body of a request to this path may have."""
        return max_body(path, takes_events=self._takes_events)

    def note(self, channel: "Channel", length: int) -> None:
        """Note how much of a body has come; nothing of one that is over."""
        with self._lock:
            self._together += length - self._lengths.get(channel, 0)
            if length:
                self._lengths[channel] = length
            else:
                self._lengths.pop(channel, None)

    def make_room(self) -> None:
        """Close connections on which a body is still to come, if all have too much together.

        The oldest bodies go first: a client that sends one at once is served, whatever others hold
        back.
        """
        if self._together <= _MOST_TOGETHER:
            return
        with self._lock:
            oldest_first = list(self._lengths)
        for channel in oldest_first:
            if channel.waits_for_its_client:
                channel.handle_close()
            if self._together <= _MOST_TOGETHER:
                break


class _Chunks(ChunkedReceiver):  # type: ignore[misc]  # waitress has no types
    """A body in chunks while it arrives: each of them begins with its size.

    waitress passes over empty lines before a size, and over a line feed at the end of an extension
    behind it. A server that does not, or for which that is the end of the line, would find another
    end of the body (RFC 9112, sections 2.2 and 7.1).
    """

    # Told to the type checker, which cannot see it in waitress.
    error: BadRequest | None = None

    def received(self, data: bytes) -> int:
        """Take what has come, and return how many bytes of it belong to the body."""
        taken = 0
        while taken < len(data) and not self.completed and self.error is None:
            if self._expects_size and self._line_is_empty(data[taken : taken + 2]):
                self.error = BadRequest("A chunk must begin with its size")
                self.all_chunks_received = True
                return len(data)
            piece = data[taken : self._end(data, taken)]
            used: int = super().received(piece)
            taken += used
            if self._expects_size and self.control_line and piece.endswith(b"\n"):
                self.error = BadRequest("The line of a chunk's size must end as every other")
                self.all_chunks_received = True
        return len(data) if self.error else taken

    @property
    def _expects_size(self) -> bool:
        inside = self.chunk_remainder or self.validate_chunk_end
        return not inside and not self.all_chunks_received

    def _line_is_empty(self, further: bytes) -> bool:
        begun: bytes = self.control_line + further
        return begun.startswith(_LINE_END)

    def _end(self, data: bytes, begin: int) -> int:
        """Return where the part of the body ends that comes now: size, chunk, line end or rest."""
        if self.chunk_remainder:
            return begin + int(self.chunk_remainder)
        if self.validate_chunk_end:
            return begin + len(_LINE_END) - len(self.chunk_end)
        if self.all_chunks_received:
            return len(data)
        return data.find(b"\n", begin) + 1 or len(data)


class RequestParser(HTTPRequestParser):  # type: ignore[misc]  # waitress has no types
    """One request while it arrives."""

    # Told to the type checker, which cannot see it in waitress.
    adj: Any
    body_rcv: Any = None
    completed: bool = False
    error: Any
    headers: dict[str, str]
    path: str

    def __init__(self, bodies: Bodies, adj: Any) -> None:  # noqa: ANN401  (waitress has no types)
        super().__init__(adj)
        self.bodies = bodies

    def received(self, data: bytes) -> int:
        """Take what has come; a chunk that says that it is too long is not waited for."""
        taken: int = super().received(data)
        if self.chunked and self.body_rcv is not None and not self.completed:
            announced = self.body_bytes_received + self.body_rcv.chunk_remainder
            if announced >= self.adj.max_request_body_size:
                self.error = RequestEntityTooLarge("The chunks are longer than a body may be")
                self.completed = True
        return taken

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
            self.body_rcv = _Chunks(self.body_rcv.getbuf())
        if self.body_rcv is not None and self.bodies.longest(self.path) > MAX_BODY:
            self._take_more(self.bodies.longest(self.path))

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


class _Task(WSGITask):  # type: ignore[misc]  # waitress has no types
    """The answer of the application."""

    def set_close_on_finish(self) -> None:
        """Close the connection after the answer, unless it only lacks a length and needs none.

        What can have no body ends with its headers (RFC 9112, section 6.3).
        """
        wish = self.request.headers.get("CONNECTION", "").lower()
        is_old = self.version == "1.0"
        goes_on = wish == "keep-alive" if is_old else wish != "close"
        if self.has_body or not goes_on:
            super().set_close_on_finish()
        elif is_old:
            self.response_headers.append(("Connection", "Keep-Alive"))


class _ErrorTask(ErrorTask):  # type: ignore[misc]  # waitress has no types
    """What is answered to a request that was refused while it arrived."""

    @property
    def has_body(self) -> bool:
        """Tell whether the answer has a body: none that is for HEAD has (RFC 9110, 9.3.2)."""
        return getattr(self.request, "command", "") != "HEAD" and super().has_body

    def write(self, data: bytes) -> None:
        """Send the headers, and the body where there is one."""
        super().write(data if self.has_body else b"")


def _refusal(channel: "Channel", request: RequestParser) -> Task:
    """Return what answers a request that was refused while it arrived.

    If its body is too long, that is the application, in the words of the endpoint.
    """
    if not isinstance(request.error, RequestEntityTooLarge):
        return _ErrorTask(channel, request)
    longer = max(request.adj.max_request_body_size, request.bodies.longest(request.path) + 1)
    request.headers["CONTENT_LENGTH"] = str(longer)
    task = WSGITask(channel, request)
    # The rest of the body may still come.
    task.set_close_on_finish()
    return task


class Channel(HTTPChannel):  # type: ignore[misc]  # waitress has no types
    """One connection of a client."""

    task_class = _Task
    error_task_class = staticmethod(_refusal)
    request: RequestParser | None
    sent_continue: bool

    def __init__(self, bodies: Bodies, *arguments: Any, **options: Any) -> None:  # noqa: ANN401  (as its base)
        self.parser_class = partial(RequestParser, bodies)
        self._bodies = bodies
        self.waiting_since = monotonic()
        """When it began to wait for its client; inf while a request is answered."""
        self.is_new = True
        """Whether no request of it was answered yet."""
        self._following = b""
        self._refused = False
        self._to_drop = 0
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
        if self._refused and self.close_when_flushed:
            self._end_refused()
        else:
            super().handle_write()
        if self._following and self.connected and not (self.requests or self.total_outbufs_len):
            following, self._following = self._following, b""
            self.received(following)

    def _end_refused(self) -> None:
        """Send the answer, and its end; take what its client still sends, and drop it.

        Were the connection closed while something of that is unread, the network would drop the
        answer (RFC 9112, section 9.6).
        """
        _, failed = self._flush_exception(self._flush_some)
        if failed:
            self.handle_close()
        elif self.connected and not self.total_outbufs_len:
            self._following = b""
            self._to_drop = _MOST_DROPPED
            self.socket.shutdown(socket.SHUT_WR)
            self.close_when_flushed = False

    def _drop(self, data: bytes) -> None:
        self._to_drop -= len(data)
        if self._to_drop <= 0:
            self.handle_close()

    def received(self, data: bytes) -> bool:
        """Take what the client sent, as far as one request; one that begins TLS is cut off.

        waitress would answer all that came at once, for a client that need not take any of it:
        its threads wait where too much is not taken.
        """
        if self._to_drop:
            self._drop(data)
            return False
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
        self._bodies.note(self, request.body_bytes_received)
        if request.completed:
            self.request, self.sent_continue = None, False
            self._refused = request.error is not None
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
            self._bodies.note(self, 0)
            self.waiting_since = monotonic()

    def handle_close(self) -> None:
        """Close the connection; what has come of a body is gone with it."""
        super().handle_close()
        self._bodies.note(self, 0)

    def handle_error(self) -> None:
        """Close the connection, and say why in a line that no client can make longer."""
        _log.error("closing a connection upon %s", type(sys.exception()).__name__)
        self.handle_close()
