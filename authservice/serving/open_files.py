"""How many connections a process may keep, when each of them is an open file."""

import logging
import resource
from typing import Protocol

_log = logging.getLogger(__name__)

# The database and its log twice for each thread, what is being delivered, standard streams.
_FILES_OF_A_THREAD = 4
_OTHER_FILES = 64
_FEWEST = 16


class Configured(Protocol):
    """The limits that a server was configured with."""

    @property
    def connection_limit(self) -> int:
        """Connections to keep."""

    @property
    def threads(self) -> int:
        """Requests to answer at a time."""


def affordable(configured: Configured) -> int:
    """Return the connections to keep: as configured, but less than the files that may be open.

    Takes as many files as this process may have. Without them requests would fail half-way.
    """
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    limit = configured.connection_limit
    if most == resource.RLIM_INFINITY:
        return limit
    left: int = most - _OTHER_FILES - _FILES_OF_A_THREAD * configured.threads
    if left >= limit:
        return limit
    _log.warning("%d files may be open, too few for connection_limit = %d", most, limit)
    return max(left, _FEWEST)
