"""What one process traces, and for how long."""

from collections.abc import Callable
from functools import partial

from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from authservice import httpclient
from authservice.database.database import Database
from authservice.observability.tracing.exporters import exporters
from authservice.observability.tracing.outgoing_spans import OutgoingSpans
from authservice.observability.tracing.request_spans import RequestSpans
from authservice.observability.tracing.traced_database import TracedDatabase


class ProcessTracing:
    """Spans of one process, sent on until ``stop``.

    The provider is not made the global one: spans of libraries would hold what they please.
    """

    def __init__(self, named: str) -> None:
        """Use the exporters in ``named``, the value of OTEL_TRACES_EXPORTER.

        The environment has everything else. Raises ValueError for a variable that cannot be used.
        """
        self._provider = TracerProvider(resource=_resource(), shutdown_on_exit=False)
        for exporter in exporters(named):
            self._provider.add_span_processor(BatchSpanProcessor(exporter))
        tracer = self._provider.get_tracer("authservice")
        self.requests = RequestSpans(tracer)
        self.database: Callable[..., Database] = partial(TracedDatabase, tracer)
        """Makes a ``Database`` whose writing transactions are spans."""
        self._outgoing = OutgoingSpans(tracer)

    def start(self) -> None:
        """Begin to trace what this process sends."""
        httpclient.observers.append(self._outgoing.observe)

    def stop(self) -> None:
        """Send the remaining spans, and stop tracing."""
        if self._outgoing.observe in httpclient.observers:
            httpclient.observers.remove(self._outgoing.observe)
        self._provider.shutdown()


def _resource() -> Resource:
    """Return what OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES say, with a name at least."""
    resource = Resource.create()
    if str(resource.attributes[SERVICE_NAME]).startswith("unknown_service"):
        resource = resource.merge(Resource({SERVICE_NAME: "authservice"}))
    return resource
