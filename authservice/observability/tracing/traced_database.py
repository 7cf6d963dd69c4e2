"""A database whose writing transactions are spans: the wait for their turn, and what follows."""

import math
from functools import partial

from opentelemetry.trace import Span, SpanKind, StatusCode, Tracer
from sqlalchemy.exc import SQLAlchemyError

from authservice.database.database import Database
from authservice.database.transaction import Transaction


class TracedDatabase(Database):
    """The same database; statements are no spans of their own, and nothing of them is told."""

    def __init__(
        self, tracer: Tracer, url: str, *, synchronous: str = "FULL", patience: float = math.inf
    ) -> None:
        super().__init__(url, synchronous=synchronous, patience=patience)
        self._tracer = tracer

    def begin(self, *, dry_run: bool = False) -> Transaction:
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
            transaction = super().begin(dry_run=dry_run)
        except SQLAlchemyError as error:
            span.set_attribute("error.type", type(error).__name__)
            span.set_status(StatusCode.ERROR)
            span.end()
            raise
        span.add_event("begun")
        transaction.when_ended = partial(_end, span)
        return transaction


def _end(span: Span, committed: bool) -> None:  # noqa: FBT001  (as transactions say it)
    span.set_attribute("authservice.committed", committed)
    span.end()
