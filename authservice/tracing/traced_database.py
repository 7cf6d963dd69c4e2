"""A database whose writing transactions are spans: the wait for their turn, and what follows."""

import math
from threading import get_ident

from opentelemetry.trace import Span, SpanKind, StatusCode, Tracer
from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from authservice.db import Database
from authservice.events import Event


class TracedDatabase(Database):
    """The same database; statements are no spans of their own, and nothing of them is told."""

    def __init__(
        self, tracer: Tracer, url: str, *, synchronous: str = "FULL", patience: float = math.inf
    ) -> None:
        """Take what begins spans, and what a database takes."""
        super().__init__(url, synchronous=synchronous, patience=patience)
        self._tracer = tracer
        self._spans: dict[tuple[Connection, int], Span] = {}

    def begin(self) -> Connection:
        """As ``Database``; the span has an event when the transaction has its turn."""
        span = self._tracer.start_span(
            "transaction",
            kind=SpanKind.CLIENT,
            attributes={
                "db.system.name": self.url.get_backend_name(),
                "authservice.committed": False,
            },
        )
        try:
            connection = super().begin()
        except SQLAlchemyError as error:
            span.set_attribute("error.type", type(error).__name__)
            span.set_status(StatusCode.ERROR)
            span.end()
            raise
        span.add_event("begun")
        self._spans[connection, get_ident()] = span
        return connection

    def commit(self, connection: Connection) -> list[Event]:
        """As ``Database``."""
        happened = super().commit(connection)
        self._spans[connection, get_ident()].set_attribute("authservice.committed", value=True)
        return happened

    def end(self, connection: Connection) -> None:
        """As ``Database``."""
        # Threads may have the same connection one after another.
        span = self._spans.pop((connection, get_ident()))
        try:
            super().end(connection)
        finally:
            span.end()
