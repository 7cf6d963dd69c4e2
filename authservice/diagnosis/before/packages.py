"""Optional packages: those that the configured addresses need are installed."""

from collections.abc import Iterator
from importlib.util import find_spec

from authservice.diagnosis.deployment import Deployment
from authservice.diagnosis.finding import Finding, error
from authservice.settings import load_traces_exporter

IN_ORDER = "Every package that the settings need is installed."

DRIVER = error(
    "packages.postgresql",
    "The database is PostgreSQL, and its driver is not installed.",
    "Install it into the service's environment: pip install 'authservice[postgresql]'",
)
REDIS = error(
    "packages.redis",
    "Redis counts the rate limits, and its client is not installed.",
    "Install it into the service's environment: pip install 'authservice[redis]'",
)
METRICS = error(
    "packages.metrics",
    "The settings switch metrics on, and the library of Prometheus is not installed.",
    "Install it into the service's environment: pip install 'authservice[metrics]'",
)
OPENTELEMETRY = error(
    "packages.opentelemetry",
    "The settings switch traces on, and OpenTelemetry is not installed.",
    "Install it into the service's environment: pip install 'authservice[opentelemetry]'",
)


def examine(deployment: Deployment) -> Iterator[Finding]:
    """Yield each package that is needed and missing."""
    settings = deployment.settings
    if settings.database_url.startswith("postgresql") and find_spec("psycopg") is None:
        yield DRIVER.at("auth.database_url", expected="package psycopg")
    if (settings.ratelimit_storage or "").startswith("redis") and find_spec("redis") is None:
        yield REDIS.at("ratelimit.storage", expected="package redis")
    if settings.metrics_listen is not None and find_spec("prometheus_client") is None:
        yield METRICS.at("metrics.listen", expected="package prometheus-client")
    traced = load_traces_exporter(deployment.environ) is not None
    if traced and find_spec("opentelemetry") is None:
        yield OPENTELEMETRY.at("OTEL_TRACES_EXPORTER", expected="package opentelemetry-sdk")
