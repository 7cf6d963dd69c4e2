"""The clock of the server, compared with that of the machine from which it is verified."""

from collections.abc import Iterator

from authservice.diagnosis import clock_difference
from authservice.diagnosis.finding import Finding, error, skipped
from authservice.diagnosis.site import Site

IN_ORDER = "The server's clock agrees with that of this machine."

DIFFERENT = error(
    "clock.different",
    "The clocks of the server and of this machine differ, so one of them is wrong.",
    "Set both from the network: timedatectl set-ntp true",
)


def examine(site: Site) -> Iterator[Finding]:
    """Yield by how much the clocks differ."""
    ahead = clock_difference.difference(site.get("/api/health"))
    if ahead is None:
        yield skipped("clock", "The server sends no date with which to compare clocks.")
    elif abs(ahead) > clock_difference.TOO_FAR:
        yield DIFFERENT.at(site.host, found=f"this one is {clock_difference.in_words(ahead)}")
