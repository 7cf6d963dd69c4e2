"""``./run bench senders``: counts requests of a million senders for the rate limits, in memory.

Each batch has senders of its own. What the last of them cost and take is compared with what the
first did; and nothing may run without a request.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from limits import RateLimitItemPerSecond

from authservice.web.gates.rate_limits.counts import RateLimits
from authservice.web.gates.rate_limits.senders import senders
from tools.bench.report.table import aligned

SENDERS = 1_000_000
BATCHES = 10
CPU_LIMIT = 1.3
MEMORY_LIMIT = 1.2
REST_LIMIT = 0.01
_LIMIT = RateLimitItemPerSecond(100, 10)
_REST_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Batch:
    """What had been seen after a batch, and what it cost."""

    seen: int
    microseconds: float
    """CPU time for counting one request."""
    memory: int
    """Bytes that the process takes."""


def main(arguments: Sequence[str]) -> int:
    """Measure, print, and return 1 when the cost of a request follows the number of senders."""
    parser = argparse.ArgumentParser(prog="./run bench senders", allow_abbrev=False)
    parser.add_argument("--senders", type=int, default=SENDERS, help="how many (1000000)")
    wanted = parser.parse_args(arguments)
    limits = RateLimits("memory://")
    batches = list(_batches(limits, wanted.senders // BATCHES))
    at_rest = _cpu_at_rest()
    rows = [("senders seen", "CPU µs", "memory MB")]
    rows += [
        (f"{each.seen:,}", f"{each.microseconds:.2f}", f"{each.memory / 1e6:.0f}")
        for each in batches
    ]
    sys.stdout.write("\n".join([*aligned(rows), f"CPU at rest: {at_rest:.1%}", ""]))
    failures = faults(batches, at_rest)
    sys.stdout.writelines(f"{failure}\n" for failure in failures)
    return 1 if failures else 0


def faults(batches: Sequence[Batch], at_rest: float) -> list[str]:
    """Return what takes more with all senders than it may."""
    # By the third batch the tables have been filled and turned.
    early, last = batches[2], batches[-1]
    found = []
    if last.microseconds > CPU_LIMIT * early.microseconds:
        found.append(f"a request costs {last.microseconds / early.microseconds:.2f} times as much")
    if last.memory > MEMORY_LIMIT * early.memory:
        found.append(f"memory has grown {last.memory / early.memory:.2f} times")
    if at_rest > REST_LIMIT:
        found.append(f"{at_rest:.1%} of a CPU is used without any request")
    return found


def _batches(limits: RateLimits, size: int) -> Iterator[Batch]:
    for number in range(BATCHES):
        # A site each, so that each is counted twice.
        numbers = range(number * size, (number + 1) * size)
        addresses = [f"2001:{each >> 16:x}:{each & 0xFFFF:x}::1" for each in numbers]
        began = time.process_time()
        for address in addresses:
            for sender, _ in senders(address):
                limits.count(_LIMIT, "landing", sender)
        took = time.process_time() - began
        yield Batch((number + 1) * size, 1e6 * took / size, _memory())


def _cpu_at_rest() -> float:
    began = time.process_time()
    time.sleep(_REST_SECONDS)
    return (time.process_time() - began) / _REST_SECONDS


def _memory() -> int:
    resident = Path("/proc/self/statm").read_text("ascii").split()[1]
    return int(resident) * os.sysconf("SC_PAGE_SIZE")
