"""A span for each request, in the trace that its caller began."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from opentelemetry import propagate, trace
from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, StatusCode, Tracer

from authservice import logs

_SERVER_ERROR = 500


@dataclass(slots=True)
class Answered:
    """What is known of a request when it has been answered."""

    route: str | None = None
    status: int = _SERVER_ERROR


class RequestSpans:
    """Makes the spans. Their attributes come from tables of ours, never from what was sent."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer

    @contextmanager
    def request(self, method: str, headers: Mapping[str, str]) -> Iterator[Answered]:
        """Give a record to be filled in before the span ends; lines of the log name the trace."""
        with self._tracer.start_as_current_span(
            method,
            # The parent, and nothing else: what else came along is not sent on to others.
            propagate.extract(headers, Context()),
            kind=SpanKind.SERVER,
            attributes={"http.request.method": method},
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            logs.enter_trace(trace.format_trace_id(span.get_span_context().trace_id))
            answered = Answered()
            try:
                yield answered
            finally:
                _describe(span, method, answered)


def _describe(span: Span, method: str, answered: Answered) -> None:
    span.set_attribute("http.response.status_code", answered.status)
    if answered.route is not None:
        span.update_name(f"{method} {answered.route}")
        span.set_attribute("http.route", answered.route)
    if (reference := logs.current_reference()) is not None:
        span.set_attribute("authservice.request", reference)
    if answered.status >= _SERVER_ERROR:
        span.set_attribute("error.type", str(answered.status))
        span.set_status(StatusCode.ERROR)
