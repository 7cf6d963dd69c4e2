"""How many connections a process may keep, when each of them is an open file."""

import logging
import resource

_log = logging.getLogger(__name__)

# The database and its log twice for each thread, what is being delivered, standard streams.
_FILES_OF_A_THREAD = 4
_OTHER_FILES = 64
_FEWEST = 16


def affordable(connection_limit: int, threads: int) -> int:
    """Return the connections to keep: as configured, but less than the files that may be open.

    Each of the threads answers one request at a time. Takes as many files as this process may have.
    Without them requests would fail half-way.
    """
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if most == resource.RLIM_INFINITY:
        return connection_limit
    left: int = most - _OTHER_FILES - _FILES_OF_A_THREAD * threads
    if left >= connection_limit:
        return connection_limit
    _log.warning("%d files may be open, too few for connection_limit = %d", most, connection_limit)
    return max(left, _FEWEST)
