"""A collector of traces: a real server on loopback that takes OTLP over HTTP."""

import gzip
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


class ReceivedSpan:
    """A span as it arrived, in words instead of numbers."""

    def __init__(self, resource, span):
        self.resource = _values(resource.attributes)
        self.name = span.name
        self.kind = span.kind
        self.trace_id = span.trace_id.hex()
        self.span_id = span.span_id.hex()
        self.parent_id = span.parent_span_id.hex()
        self.attributes = _values(span.attributes)
        self.events = [event.name for event in span.events]
        self.failed = span.status.code == 2


class OTLPReceiver:
    """Keeps every span that arrives, in the order of their ends."""

    def __init__(self):
        self.spans = []
        self.bytes = b""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, args=[0.01])
        self._thread.start()

    @property
    def environ(self):
        """The variables that send traces here."""
        endpoint = f"http://127.0.0.1:{self._server.server_port}"
        return {"OTEL_TRACES_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint}

    def named(self, name):
        return [span for span in self.spans if span.name == name]

    def close(self):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _handler(receiver):  # noqa: N805  (the handler below has the name self)
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers["Content-Encoding"] == "gzip":
                    body = gzip.decompress(body)
                receiver.bytes += body
                for sent in ExportTraceServiceRequest.FromString(body).resource_spans:
                    for scope in sent.scope_spans:
                        receiver.spans += [ReceivedSpan(sent.resource, s) for s in scope.spans]
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        return Handler


def _values(attributes):
    return {item.key: getattr(item.value, item.value.WhichOneof("value")) for item in attributes}
