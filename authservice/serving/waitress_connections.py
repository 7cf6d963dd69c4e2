"""Which connections waitress closes: at its limit, when another one comes, and of unread answers.

waitress would take no more until one of them closes, and an idle connection, or a client that
sends or takes a byte a second, keeps its place for as long as it likes.
"""

from collections.abc import Mapping
from time import monotonic

from waitress.server import BaseWSGIServer
from waitress.wasyncore import dispatcher

from authservice.serving.waitress_channel import Channel

# One in so many gives way at a time.
_SHARE = 8
# How long a client has to take its answer, once it is complete.
_TO_TAKE_SECONDS = 30.0


def cut_unread(sockets: Mapping[int, dispatcher]) -> None:
    """Close the connections of clients that have not taken all of their answer in time."""
    in_time = monotonic() - _TO_TAKE_SECONDS
    for channel in _channels(sockets):
        if channel.waiting_since < in_time and channel.has_unread_answer:
            channel.handle_close()


def make_room(sockets: Mapping[int, dispatcher], limit: int) -> None:
    """Let others in when there are too many: those give way who have waited longest.

    Who takes no answer goes before who sends no request. Who sends a request at once is served,
    however many have come before and send nothing: who came last stays. Where nobody can give way,
    others wait outside. One place stays free, so that the next one who comes is noticed when they
    come.
    """
    if len(sockets) < limit // 2:
        return
    # waitress looks at all connections between one that it takes and the next.
    places = max(1, limit // _SHARE)
    # It counts its own sockets too. At the limit it listens no more, and would learn of others
    # when something else wakes it.
    if len(sockets) >= limit:
        for channel in _channels(sockets):
            # What the network takes at once is not unread. The loop sends short answers.
            if channel.waits_for_its_client and channel.total_outbufs_len:
                channel.handle_write()
        waiting = [channel for channel in _channels(sockets) if channel.waits_for_its_client]
        waiting.sort(key=lambda channel: (not channel.has_unread_answer, channel.waiting_since))
        newest = {*[channel for channel in waiting if channel.is_new][-places:]}
        for channel in [one for one in waiting if one not in newest][:places]:
            channel.handle_close()
    for listener in [one for one in sockets.values() if isinstance(one, BaseWSGIServer)]:
        for _ in range(min(places, limit - len(sockets)) - 1):
            before = len(sockets)
            listener.handle_accept()
            if len(sockets) == before:
                break


def _channels(sockets: Mapping[int, dispatcher]) -> list[Channel]:
    return [one for one in sockets.values() if isinstance(one, Channel)]
