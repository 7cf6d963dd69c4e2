"""Optional packages: those that the configured addresses need are installed."""

from collections.abc import Iterator
from importlib.util import find_spec

from authservice.diagnosis.deployment import Deployment
from authservice.diagnosis.finding import Finding, error

IN_ORDER = "Every package that the settings need is installed."

DRIVER = error(
    "packages.postgresql",
    "The database is PostgreSQL, and its driver is not installed.",
    "Install it into the service's environment: pip install 'authservice[postgresql]'",
)
REDIS = error(
    "packages.redis",
    "Rate limits are counted in Redis, and its client is not installed.",
    "Install it into the service's environment: pip install 'authservice[redis]'",
)


def examine(deployment: Deployment) -> Iterator[Finding]:
    """Yield each package that is needed and missing."""
    settings = deployment.settings
    if settings.database_url.startswith("postgresql") and find_spec("psycopg") is None:
        yield DRIVER.at("auth.database_url", expected="package psycopg")
    if (settings.ratelimit_storage or "").startswith("redis") and find_spec("redis") is None:
        yield REDIS.at("ratelimit.storage", expected="package redis")
