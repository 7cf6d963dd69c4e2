"""Where spans go, as the variables of the OpenTelemetry specification name it."""

import os
from collections.abc import Iterator
from importlib.metadata import entry_points

from opentelemetry.sdk.trace.export import SpanExporter

_PROTOCOL_VARIABLES = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
_EXPORTERS_OF_OTLP = {"http/protobuf": "otlp_proto_http", "grpc": "otlp_proto_grpc"}


def exporters(named: str) -> Iterator[SpanExporter]:
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
