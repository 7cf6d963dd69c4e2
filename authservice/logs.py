"""Log records, each with the reference of the request it belongs to, as JSON or as text.

A record of an event carries it as ``event``, of which the whole content is written.

People read the same reference on an error page, so that an operator finds what happened. Only
what a record says itself is written: never a header, a body or an address's query.
"""

import json
import logging
import random
import threading
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from logging.handlers import WatchedFileHandler

from authservice import clock

_log = logging.getLogger(__name__)

# What a message quotes may be as long as a request. The longest of ours names two redirect URIs.
_LONGEST = 5000
_HOUR = timedelta(hours=1)

_reference: ContextVar[str | None] = ContextVar("reference", default=None)
_trace: ContextVar[str | None] = ContextVar("trace", default=None)


def new_reference() -> str:
    """Begin a request and return its reference."""
    # It is to be found again, not to be kept secret: no need to ask the kernel.
    reference = f"{random.getrandbits(64):016x}"
    _reference.set(reference)
    return reference


def current_reference() -> str | None:
    """Return the reference of the request that this thread answers."""
    return _reference.get()


def enter_trace(trace_id: str) -> None:
    """Name a trace in the lines that belong to this request."""
    _trace.set(trace_id)


class HourlyWarnings:
    """Warnings that every request could repeat; usable from several threads."""

    def __init__(self) -> None:
        self._said_at: dict[str, datetime] = {}
        self._saying = threading.Lock()

    def say(self, message: str, *values: object) -> None:
        """Log a message, whatever its values, at most once an hour in a process."""
        now = clock.now()
        with self._saying:
            said_at = self._said_at.get(message)
            if said_at is not None and now - said_at < _HOUR:
                return
            self._said_at[message] = now
        _log.warning(message, *values)


class JSONLines(logging.Formatter):
    """Formats a record as one line of JSON, line breaks in messages escaped."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        content = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": _bounded(record.getMessage()),
            "request": current_reference(),
            "trace_id": _trace.get(),
            "event": event.content() if (event := getattr(record, "event", None)) else None,
        }
        if record.exc_info:
            content["exception"] = self.formatException(record.exc_info)
        return json.dumps({name: value for name, value in content.items() if value is not None})


class TextLines(logging.Formatter):
    """Formats a record as text for people, with the reference at the end.

    What a message quotes begins no line of its own and moves no cursor.
    """

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  (logging's name)
        """Return the message in one line."""
        record.message = _bounded(_visible(record.message))
        return super().formatMessage(record)

    def format(self, record: logging.LogRecord) -> str:
        """Return the text."""
        reference = current_reference()
        text = super().format(record)
        if event := getattr(record, "event", None):
            # The message is the name already.
            values = list(event.content().items())[1:]
            text += "".join(f" {name}={_visible(str(value))}" for name, value in values)
        return f"{text} [{reference}]" if reference else text


class WatchedFile(WatchedFileHandler):
    """Appends to a file, and to a new one when that is moved away."""

    def __init__(self, path: str) -> None:
        """Open the file; raises SystemExit with the reason where it cannot be written."""
        try:
            super().__init__(path, encoding="utf-8")
        except OSError as error:
            raise SystemExit(
                f"authservice: the log file {path} cannot be written: {error.strerror}; make its"
                " folder, and give it to the user of the service"
            ) from None


def _bounded(text: str) -> str:
    """Return a text, or the beginning of one that is too long."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _visible(text: str) -> str:
    """Return a text with all that is no visible character written as an escape."""
    if text.isprintable():
        return text
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode("ascii")
        for each in text
    )
