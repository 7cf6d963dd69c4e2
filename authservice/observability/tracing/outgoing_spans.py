"""A span for each request that this process sends, whose host learns the trace from a header."""

from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry import propagate
from opentelemetry.trace import SpanKind, StatusCode, Tracer

from authservice.httpclient import Exchange, SendError

_CLIENT_ERROR = 400


class OutgoingSpans:
    """Makes the spans. They name the host and nothing of the path, which may hold a secret."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer

    @contextmanager
    def observe(self, exchange: Exchange) -> Iterator[None]:
        """Trace an exchange while it runs (an observer of ``authservice.httpclient``)."""
        with self._tracer.start_as_current_span(
            exchange.method,
            kind=SpanKind.CLIENT,
            attributes={
                "http.request.method": exchange.method,
                "server.address": exchange.host,
                "server.port": exchange.port,
            },
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            propagate.inject(exchange.headers)
            failed = None
            try:
                yield
            except SendError as error:
                failed = type(error).__name__
                raise
            finally:
                if exchange.status is not None:
                    span.set_attribute("http.response.status_code", exchange.status)
                    if exchange.status >= _CLIENT_ERROR:
                        failed = failed or str(exchange.status)
                if failed is not None:
                    span.set_attribute("error.type", failed)
                    span.set_status(StatusCode.ERROR)
