"""Senders: the proxy names the sender of a request, and does not pass on forged names."""

from collections.abc import Iterator

from authservice.diagnosis.finding import Finding, error, skipped
from authservice.diagnosis.site import Site, content

IN_ORDER = "The service learns from the proxy who asks."

_APPEND = (
    "Let the proxy append the sender, in nginx:"
    " proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;"
)
UNKNOWN = error(
    "senders.unknown",
    "The service does not learn who sends a request, so all people count as one sender.",
    f"{_APPEND} and name its address in auth.trusted_proxies.",
)
FORGED = error(
    "senders.forged",
    "The proxy passes on X-Forwarded-For from senders, so they can pretend to be others.",
    _APPEND,
)

_PATH = "/api/ready"
# A trusted machine that asks for itself is told more; no machine outside is one.
_CLAIMED = {"X-Forwarded-For": "127.0.0.1"}
_TOLD = "version"


def examine(site: Site) -> Iterator[Finding]:
    """Yield what the service is not told, or told by any sender."""
    said = content(site.get(_PATH))
    if not isinstance(said, dict) or not isinstance(said.get("sender_known"), bool):
        yield skipped("senders", f"{_PATH} does not say whether senders are known.")
        return
    if not said["sender_known"]:
        yield UNKNOWN.at(f"{site.url}{_PATH}")
    claimed = content(site.get(_PATH, _CLAIMED))
    if _TOLD not in said and isinstance(claimed, dict) and _TOLD in claimed:
        yield FORGED.at(f"{site.url}{_PATH}")
