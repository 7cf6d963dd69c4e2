"""A server that hangs: its processes have stopped, and its machine takes whatever is sent to it."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tools.bench.machine.accounting import with_children


@contextmanager
def hanging(pid: int) -> Iterator[None]:
    """Stop a process and all that it started, and let them go on in the end."""
    stopped = []
    for each in with_children([pid]):
        with suppress(ProcessLookupError):
            os.kill(each, signal.SIGSTOP)
            stopped.append(each)
    try:
        yield
    finally:
        for each in stopped:
            with suppress(ProcessLookupError):
                os.kill(each, signal.SIGCONT)
