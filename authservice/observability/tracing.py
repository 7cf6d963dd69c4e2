"""Traces for OpenTelemetry, where its own variables ask for them; nothing is imported otherwise."""

import math
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.metadata import entry_points

from opentelemetry import propagate, trace
from opentelemetry.context import Context
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.trace import Span, SpanKind, StatusCode, Tracer
from sqlalchemy.exc import SQLAlchemyError

from authservice import httpclient, logs
from authservice.database.database import Database
from authservice.database.transaction import Transaction
from authservice.httpclient import Exchange, SendError

_PROTOCOL_VARIABLES = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
_EXPORTERS_OF_OTLP = {"http/protobuf": "otlp_proto_http", "grpc": "otlp_proto_grpc"}
_CLIENT_ERROR = 400
_SERVER_ERROR = 500


@dataclass(slots=True)
class Answered:
    """What is known of a request when it has been answered."""

    route: str | None = None
    status: int = _SERVER_ERROR


class ProcessTracing:
    """Spans of one process, sent on until ``stop``.

    The provider is not made the global one: spans of libraries would hold what they please.
    """

    def __init__(self, named: str) -> None:
        """Use the exporters in ``named``, the value of OTEL_TRACES_EXPORTER.

        The environment has everything else. Raises ValueError for a variable that cannot be used.
        """
        self._provider = TracerProvider(resource=_resource(), shutdown_on_exit=False)
        for exporter in _exporters(named):
            self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("authservice")
        self.database: Callable[..., Database] = partial(TracedDatabase, self._tracer)
        """Makes a ``Database`` whose writing transactions are spans."""

    def start(self) -> None:
        """Begin to trace what this process sends."""
        httpclient.observers.append(self._sending)

    def stop(self) -> None:
        """Send the remaining spans, and stop tracing."""
        if self._sending in httpclient.observers:
            httpclient.observers.remove(self._sending)
        self._provider.shutdown()

    @contextmanager
    def request(self, method: str, headers: Mapping[str, str]) -> Iterator[Answered]:
        """Trace a request, in the trace that its caller began; lines of the log name that.

        Gives a record to be filled in before the span ends. The attributes come from tables of
        ours, never from what was sent.
        """
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

    @contextmanager
    def _sending(self, exchange: Exchange) -> Iterator[None]:
        """Trace an exchange while it runs (an observer of ``authservice.httpclient``).

        Its host learns the trace from a header. The span names the host and nothing of the path,
        which may hold a secret.
        """
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


class TracedDatabase(Database):
    """A database whose writing transactions are spans: the wait for their turn, and what follows.

    Statements are no spans of their own, and nothing of them is told.
    """

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


def _exporters(named: str) -> Iterator[SpanExporter]:
    """Yield the exporters that OTEL_TRACES_EXPORTER names, divided by commas.

    Each reads its own variables. Raises ValueError for one that is not installed.
    """
    for name in named.split(","):
        exporter = _otlp() if name.strip() == "otlp" else name.strip()
        installed = entry_points(group="opentelemetry_traces_exporter")
        if exporter not in installed.names:
            there = ", ".join(sorted(installed.names))
            raise ValueError(f"OTEL_TRACES_EXPORTER: {exporter!r} is none of those here: {there}")
        yield installed[exporter].load()()


def _otlp() -> str:
    """Return the exporter of OTLP's protocol: over HTTP, as the specification advises."""
    for variable in _PROTOCOL_VARIABLES:
        if protocol := os.environ.get(variable, "").strip():
            if protocol not in _EXPORTERS_OF_OTLP:
                known = " or ".join(_EXPORTERS_OF_OTLP)
                raise ValueError(f"{variable}: {protocol!r} is not {known}")
            return _EXPORTERS_OF_OTLP[protocol]
    return "otlp_proto_http"


def _resource() -> Resource:
    """Return what OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES say, with a name at least."""
    resource = Resource.create()
    if str(resource.attributes[SERVICE_NAME]).startswith("unknown_service"):
        resource = resource.merge(Resource({SERVICE_NAME: "authservice"}))
    return resource


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


def _end(span: Span, committed: bool) -> None:  # noqa: FBT001  (as transactions say it)
    span.set_attribute("authservice.committed", committed)
    span.end()
