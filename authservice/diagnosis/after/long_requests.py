"""Long requests: authorization requests travel in the address and must pass the proxy."""

from collections.abc import Iterator

from authservice.diagnosis.finding import Finding, error
from authservice.diagnosis.site import Site, described

IN_ORDER = "Addresses of 16 KiB pass the proxy."

ADDRESS = error(
    "long_requests.address",
    "The proxy refuses long addresses, but authorization requests need them.",
    "Allow them: large_client_header_buffers 4 32k;",
)

_LENGTH = 16 * 1024
_OK = 200


def examine(site: Site) -> Iterator[Finding]:
    """Yield whether a long address is refused on the way."""
    answer = site.get("/api/health", padding="x" * _LENGTH)
    if answer.status_code != _OK:
        yield ADDRESS.at(f"{_LENGTH} bytes", found=described(answer), expected="status 200")
