"""The storage of the rate limits: it can be reached."""

from collections.abc import Iterator

from limits.errors import ConfigurationError
from limits.storage import storage_from_string
from sqlalchemy import make_url

from authservice.diagnosis.deployment import Deployment
from authservice.diagnosis.finding import Finding, error, skipped, warning

IN_ORDER = "The storage of the rate limits answers."

UNREACHABLE = error(
    "rate_limits.unreachable",
    "Redis does not answer, or refuses the connection. No rate limit would hold.",
    "Correct host, port and password in ratelimit.storage, or start the server.",
)
PER_PROCESS = warning(
    "rate_limits.per_process",
    "Each process counts separately, so every limit is multiplied by the number of processes.",
    "Let all processes count together: ratelimit.storage = redis://HOST:PORT/DATABASE",
)

_SECONDS = {"socket_timeout": 2, "socket_connect_timeout": 2}


def examine(deployment: Deployment) -> Iterator[Finding]:
    """Yield whether the storage cannot be reached."""
    storage = deployment.settings.ratelimit_storage
    if storage is None:
        yield skipped("rate_limits", "Local mode limits nothing.")
        return
    if storage == "memory://":
        workers = deployment.granian.get("workers", "1")
        if workers != "1":
            yield PER_PROCESS.at("ratelimit.storage", found=f"memory:// and {workers} workers")
        return
    try:
        answers = storage_from_string(storage, **_SECONDS).check()
    except ConfigurationError:
        yield skipped("rate_limits", "The client of Redis is not installed.")
        return
    if not answers:
        # Its password may stand in the query too.
        shown = make_url(storage).set(query={}).render_as_string()
        yield UNREACHABLE.at("ratelimit.storage", found=shown)
