"""Which connection waitress closes at its limit, when another one comes.

waitress would take no more until one of them closes, and an idle connection, or a client that
sends a byte a second, keeps its place for as long as it likes.
"""

from collections.abc import Mapping
from heapq import nsmallest

from waitress.server import BaseWSGIServer
from waitress.wasyncore import dispatcher

from authservice.serving.waitress_channel import Channel

# One in so many gives way at a time.
_SHARE = 8


def make_room(sockets: Mapping[int, dispatcher], limit: int) -> None:
    """Let others in when there are too many: those give way who have waited longest.

    Who sends a request at once is served, however many have come before and send nothing. One
    place stays free, so that the next one who comes is noticed when they come.
    """
    if len(sockets) < limit // 2:
        return
    # waitress looks at all connections between one that it takes and the next.
    places = max(1, limit // _SHARE)
    # It counts its own sockets too. At the limit it listens no more, and would learn of others
    # when something else wakes it.
    if len(sockets) >= limit:
        waiting = [
            channel
            for channel in sockets.values()
            if isinstance(channel, Channel) and channel.waits_for_its_client
        ]
        for channel in nsmallest(places, waiting, key=lambda channel: channel.waiting_since):
            channel.handle_close()
    for listener in [one for one in sockets.values() if isinstance(one, BaseWSGIServer)]:
        for _ in range(min(places, limit - len(sockets)) - 1):
            before = len(sockets)
            listener.handle_accept()
            if len(sockets) == before:
                break
