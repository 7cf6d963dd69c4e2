"""How many connections waitress keeps, and which gives way when another one comes.

waitress would take no more until one of them closes, and an idle connection, or a client that
sends a byte a second, keeps its place for as long as it likes.
"""

import logging
import resource
from collections.abc import Mapping
from heapq import nsmallest
from typing import Any

from waitress.server import BaseWSGIServer
from waitress.wasyncore import dispatcher

from authservice.serving.waitress_channel import Channel

_log = logging.getLogger(__name__)

# The database and its log twice for each thread, what is being delivered, standard streams.
_FILES_OF_A_THREAD = 4
_OTHER_FILES = 64
_FEWEST = 16
# One in so many gives way at a time.
_SHARE = 32


def affordable(adjustments: Any) -> int:  # noqa: ANN401  (waitress has no types)
    """Return the connections to keep: as configured, but less than the files that may be open.

    Takes as many files as this process may have. Without them requests would fail half-way.
    """
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    configured: int = adjustments.connection_limit
    if most == resource.RLIM_INFINITY:
        return configured
    left: int = most - _OTHER_FILES - _FILES_OF_A_THREAD * adjustments.threads
    if left >= configured:
        return configured
    _log.warning("%d files may be open, too few for connection_limit = %d", most, configured)
    return max(left, _FEWEST)


def make_room(sockets: Mapping[int, dispatcher], limit: int) -> None:
    """Let others in when there are too many: those give way who have waited longest.

    Who sends a request at once is served, however many have come before and send nothing.
    """
    # waitress counts its own sockets too, and takes nothing more at the limit itself.
    if len(sockets) < limit:
        return
    waiting = [
        channel
        for channel in sockets.values()
        if isinstance(channel, Channel) and channel.waits_for_its_client
    ]
    # waitress looks at all connections between one that it takes and the next.
    places = max(1, limit // _SHARE)
    for channel in nsmallest(places, waiting, key=lambda channel: channel.waiting_since):
        channel.handle_close()
    listeners = [socket for socket in sockets.values() if isinstance(socket, BaseWSGIServer)]
    for listener in listeners:
        for _ in range(min(places, limit - len(sockets))):
            listener.handle_accept()
