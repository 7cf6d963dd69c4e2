"""Which CPU does what: the load gets one for itself, and each server process one of the others.

On a machine with too few CPUs the last server process shares one with the load, and the run says
so. Two servers on one CPU would take it from each other, with all that it has in its caches: that
costs a third more, and no operator runs them so.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cores:
    """The CPUs of one measurement."""

    load: int
    servers: tuple[int, ...]

    @classmethod
    def shared_out(cls, processes: int) -> "Cores":
        """Return the last CPU for the load, and one for each server process."""
        *others, last = sorted(os.sched_getaffinity(0))
        servers = tuple(others[:processes])
        return cls(last, servers if len(servers) == processes else (*servers, last))

    def alone(self, number: int) -> "Cores":
        """Return what is left when a server process, counted from 0, is all there is."""
        return Cores(self.load, tuple(self.of_process(number)))

    @property
    def shared(self) -> bool:
        """Tell whether a server process runs where the load runs."""
        return self.load in self.servers

    def of_process(self, number: int) -> set[int]:
        """Return where a server process runs, counted from 0."""
        return {self.servers[number % len(self.servers)]}


@contextmanager
def pinned(cpus: set[int]) -> Iterator[None]:
    """Run the block, and every process started in it, on these CPUs only."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cpus)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
