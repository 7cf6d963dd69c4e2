"""waitress with an orderly stop: ``use = egg:authservice#waitress`` in an ini file.

Neither pserve nor waitress handles SIGTERM, and as process 1 of a container they would ignore it.
"""

import logging
import signal
import threading
from collections.abc import Callable
from time import monotonic
from types import FrameType
from typing import Any

from waitress.server import BaseWSGIServer
from waitress.wasyncore import close_all, dispatcher

from authservice.serving.open_files import affordable
from authservice.serving.waitress_channel import Channel
from authservice.serving.waitress_connections import cut_unread, make_room
from authservice.serving.waitress_listening import announce, listen

_log = logging.getLogger(__name__)

# A sign-in may wait ten seconds for the identity provider.
_DRAIN_SECONDS = 15.0


def serve(app: Any, _global_conf: object, **options: Any) -> None:  # noqa: ANN401  (a Pyramid router)
    """Serve until SIGTERM or SIGINT, then answer the requests in progress and return.

    This is a PasteDeploy server runner, and takes waitress's options. Connections without a
    request are closed at once, requests get 15 seconds. A second signal ends the process. Where
    it cannot listen, the process ends with status 1 and a line that says why.
    """
    components = app.registry.components
    sockets: dict[int, dispatcher] = {}
    stopping = threading.Event()
    server = listen(app, sockets, options)
    server.adj.connection_limit = affordable(server.adj)
    components.sign_in_places.fit(server.adj.threads)
    listeners = [socket for socket in sockets.values() if isinstance(socket, BaseWSGIServer)]
    for listener in listeners:
        listener.channel_class = Channel

    def stop(_signal: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        stopping.set()
        # Wakes the loop, which is waiting for its sockets.
        listeners[0].pull_trigger()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    announce(server, components.settings, listeners)
    _loop(server, sockets, stopping.is_set)
    for listener in listeners:
        # Not the listener's own close(): answers still pull the trigger that it takes away.
        dispatcher.close(listener)
    deadline = monotonic() + _DRAIN_SECONDS
    _loop(server, sockets, lambda: not _close_idle(sockets) or monotonic() > deadline)
    if cut := _close_idle(sockets):
        # Their threads may be using the database at this moment, so it stays open.
        _log.warning("stopped with %d requests unanswered", cut)
        return
    server.task_dispatcher.shutdown()
    close_all(sockets, ignore_all=True)
    components.close()


def _loop(server: Any, sockets: dict[int, dispatcher], ended: Callable[[], bool]) -> None:  # noqa: ANN401  (one class or another)
    """Receive and send until something has ended, asking at each event and each second."""
    looked_at = monotonic()
    while not ended():
        # This looks at every connection: once a second is often enough for a limit of 30 seconds.
        if monotonic() - looked_at >= 1.0:
            looked_at = monotonic()
            cut_unread(sockets)
        make_room(sockets, server.adj.connection_limit)
        server.asyncore.loop(
            timeout=server.adj.asyncore_loop_timeout,
            use_poll=server.adj.asyncore_use_poll,
            map=sockets,
            count=1,
        )


def _close_idle(sockets: dict[int, dispatcher]) -> int:
    """Close the connections on which nothing is under way; return how many are left."""
    busy = 0
    for channel in list(sockets.values()):
        if isinstance(channel, Channel):
            if channel.requests or channel.request or channel.total_outbufs_len:
                busy += 1
            else:
                channel.handle_close()
    return busy
