"""How many connections granian's workers may keep, when each of them may need a thread.

Where Linux refuses a worker a thread, granian ends, so it must ask for none that is not allowed.
"""

import logging
import resource
from contextlib import suppress
from math import inf
from pathlib import Path

from authservice.serving.granian_options import GranianOptions

_log = logging.getLogger(__name__)

_GROUPS = Path("/sys/fs/cgroup")
_OWN_GROUP = Path("/proc/self/cgroup")
# Others of the same user or group need some too.
_SHARE = 2
_OTHER_THREADS = 32
_FEWEST = 16


def with_a_thread_each(options: GranianOptions) -> int:
    """Return the connections that each worker may keep: as configured, or as threads allow."""
    limit = options.connection_limit
    allowed = _allowed()
    left = allowed / (_SHARE * options.workers) - _OTHER_THREADS - options.threads
    if left >= limit:
        return limit
    _log.warning("%d threads are allowed, too few for connection_limit = %d", allowed, limit)
    return max(int(left), _FEWEST)


def _allowed() -> float:
    """Return how many threads this process and those beside it may have, as Linux says."""
    _, most = resource.getrlimit(resource.RLIMIT_NPROC)
    limits: list[float] = [inf if most == resource.RLIM_INFINITY else most]
    group = _GROUPS
    with suppress(OSError):
        group /= _OWN_GROUP.read_text("utf-8").rpartition("::")[2].strip().lstrip("/")
    # Where groups are of the first version, a container's own stands below its kind.
    for folder in (group, *group.parents, _GROUPS / "pids"):
        # There may be no such file, and it may say "max".
        with suppress(OSError, ValueError):
            limits.append(int((folder / "pids.max").read_text("utf-8")))
    return min(limits)
