"""waitress with an orderly stop: ``use = egg:authservice#waitress`` in an ini file.

Neither pserve nor waitress handles SIGTERM, and as process 1 of a container they would ignore it.

waitress takes no more connections at its limit until one of them closes. An idle one, or a client
that sends or takes a byte a second, would keep its place for as long as it likes.
"""

import errno
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from functools import partial
from time import monotonic
from types import FrameType
from typing import Any
from urllib.parse import urlsplit

from waitress.server import BaseWSGIServer, create_server
from waitress.wasyncore import close_all, dispatcher

from authservice.serving.open_files import affordable
from authservice.serving.waitress_channel import Bodies, Channel
from authservice.settings import AuthSettings

_log = logging.getLogger(__name__)

# A sign-in may wait ten seconds for the identity provider.
_DRAIN_SECONDS = 15.0
# One in so many gives way at a time.
_SHARE = 8
# How long a client has to take its answer, once it is complete.
_TO_TAKE_SECONDS = 30.0
_IPV4, _IPV6 = "127.0.0.1", "::1"
_HTTP = 80
# While so many connections wait, the kernel makes a new one try again a second later.
_BACKLOG = "4096"
_REMEDIES = {
    errno.EADDRINUSE: "end the program that listens there, which ss -ltnp names, or set another"
    " listen_port",
    errno.EACCES: "ports below 1024 are root's: set listen_port to 1024 or more",
}
_OTHER_REMEDY = "set listen_host to an address of this machine"


def serve(app: Any, _global_conf: object, **options: Any) -> None:  # noqa: ANN401  (a Pyramid router)
    """Serve until SIGTERM or SIGINT, then answer the requests in progress and return.

    This is a PasteDeploy server runner, and takes waitress's options. Connections without a
    request are closed at once, requests get 15 seconds. A second signal ends the process. Where
    it cannot listen, the process ends with status 1 and a line that says why.
    """
    components = app.registry.components
    sockets: dict[int, dispatcher] = {}
    stopping = threading.Event()
    server = _listen(app, sockets, options)
    server.adj.connection_limit = affordable(server.adj.connection_limit, server.adj.threads)
    # waitress refuses what is as long as its limit.
    server.adj.max_request_body_size += 1
    components.sign_in_places.fit(server.adj.threads)
    listeners = _listeners(sockets)
    bodies = Bodies(takes_events=components.webhook_secret is not None)
    for listener in listeners:
        listener.channel_class = partial(Channel, bodies)

    def stop(_signal: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        stopping.set()
        # Wakes the loop, which is waiting for its sockets.
        listeners[0].pull_trigger()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    # A command may have let them wait for this.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGTERM, signal.SIGINT))
    _announce(server, components.settings, listeners)
    _loop(server, sockets, bodies, stopping.is_set)
    for listener in listeners:
        # Not the listener's own close(): answers still pull the trigger that it takes away.
        dispatcher.close(listener)
    deadline = monotonic() + _DRAIN_SECONDS
    _loop(server, sockets, bodies, lambda: not _close_idle(sockets) or monotonic() > deadline)
    if cut := _close_idle(sockets):
        # Their threads may be using the database at this moment, so it stays open.
        _log.warning("stopped with %d requests unanswered", cut)
        return
    server.task_dispatcher.shutdown()
    close_all(sockets, ignore_all=True)
    components.close()


def _loop(
    server: Any,  # noqa: ANN401  (one class or another)
    sockets: dict[int, dispatcher],
    bodies: Bodies,
    ended: Callable[[], bool],
) -> None:
    """Receive and send until something has ended, asking at each event and each second."""
    looked_at = monotonic()
    while not ended():
        # This looks at every connection: once a second is often enough for a limit of 30 seconds.
        if monotonic() - looked_at >= 1.0:
            looked_at = monotonic()
            cut_unread(sockets)
        make_room(sockets, server.adj.connection_limit)
        bodies.make_room()
        server.asyncore.loop(
            timeout=server.adj.asyncore_loop_timeout,
            use_poll=server.adj.asyncore_use_poll,
            map=sockets,
            count=1,
        )


def _close_idle(sockets: dict[int, dispatcher]) -> int:
    """Close the connections on which nothing is under way; return how many are left."""
    busy = 0
    for channel in _channels(sockets):
        if channel.requests or channel.request or channel.total_outbufs_len:
            busy += 1
        else:
            channel.handle_close()
    return busy


def cut_unread(sockets: Mapping[int, dispatcher]) -> None:
    """Close the connections of clients that have not taken all of their answer in time."""
    in_time = monotonic() - _TO_TAKE_SECONDS
    for channel in _channels(sockets):
        if channel.waiting_since < in_time and channel.has_unread_answer:
            channel.handle_close()


def make_room(sockets: Mapping[int, dispatcher], limit: int) -> None:
    """Close connections where there are too many, first those that have been idle longest.

    A client that takes no answer goes before one that sends no request. The newest connection
    stays: a client that sends a request at once is served, however many others have connected and
    send nothing. Where none can be closed, new ones wait outside. One place stays free, so that a
    new connection is noticed when it comes.
    """
    if len(sockets) < limit // 2:
        return
    # waitress looks at all connections between one that it takes and the next.
    places = max(1, limit // _SHARE)
    # It counts its own sockets too. At the limit it listens no more, and would learn of others
    # when something else wakes it.
    if len(sockets) >= limit:
        found = [(one, one.waiting_since) for one in _channels(sockets) if one.waits_for_its_client]
        for channel, _ in found:
            # What the network takes at once is not unread. The loop sends short answers.
            if channel.total_outbufs_len:
                channel.handle_write()
        # A channel with a later time was answered by a thread meanwhile; nothing of it is sent yet.
        waiting = [
            channel
            for channel, since in found
            if channel.connected and channel.waits_for_its_client and channel.waiting_since == since
        ]
        waiting.sort(key=lambda channel: (not channel.has_unread_answer, channel.waiting_since))
        newest = {*[channel for channel in waiting if channel.is_new][-places:]}
        for channel in [one for one in waiting if one not in newest][:places]:
            channel.handle_close()
    for listener in _listeners(sockets):
        for _ in range(min(places, limit - len(sockets)) - 1):
            before = len(sockets)
            listener.handle_accept()
            if len(sockets) == before:
                break


def _channels(sockets: Mapping[int, dispatcher]) -> list[Channel]:
    return [one for one in sockets.values() if isinstance(one, Channel)]


def _listeners(sockets: Mapping[int, dispatcher]) -> list[BaseWSGIServer]:
    return [one for one in sockets.values() if isinstance(one, BaseWSGIServer)]


def _listen(
    app: Any,  # noqa: ANN401  (a Pyramid router)
    sockets: dict[int, dispatcher],
    options: Mapping[str, Any],
) -> Any:  # noqa: ANN401  (one class or another)
    """Return the server, which listens; where it cannot, end the process with the reason.

    Browsers reach ``localhost`` by either loopback address, so local mode listens on both.
    """
    local_mode = app.registry.components.settings.local_mode
    taken = {"backlog": _BACKLOG} | (_on_both(options) if local_mode else dict(options))
    try:
        return create_server(app, map=sockets, **taken)
    except OSError as error:
        remedy = _REMEDIES.get(error.errno or 0, _OTHER_REMEDY)
        reason = f"cannot listen on {_refused(sockets)}: {error.strerror}; {remedy}"
    except ValueError as error:
        reason = f"[server:main] cannot be used: {error}"
    app.registry.components.close()
    sys.stderr.write(f"authservice: {reason}\n")
    sys.stdout.flush()
    sys.stderr.flush()
    # pserve would take SystemExit for an orderly end, with status 0.
    os._exit(1)


def _on_both(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options with both loopback addresses, if the machine has both."""
    if options.get("host") != _IPV4 or "listen" in options or not _has_ipv6():
        return dict(options)
    others = {name: value for name, value in options.items() if name not in {"host", "port"}}
    port = options.get("port", "")
    return others | {"listen": f"{_IPV4}:{port} [{_IPV6}]:{port}"}


def _has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as probe:
            probe.bind((_IPV6, 0))
    except OSError:
        return False
    return True


def _refused(sockets: Mapping[int, dispatcher]) -> str:
    """Return the address that could not be taken: its listener is there, and accepts nothing."""
    for one in _listeners(sockets):
        if not one.accepting:
            host, port = one.sockinfo[3][:2]
            return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    return "its address"


def _announce(server: Any, settings: AuthSettings, listeners: list[BaseWSGIServer]) -> None:  # noqa: ANN401
    """Log where the service is, once it listens; in local mode the address to open."""
    if not settings.local_mode:
        server.print_listen("Serving on http://{}:{}")
        return
    address = urlsplit(settings.auth_url)
    if settings.https or (address.port or _HTTP) not in {one.sockinfo[3][1] for one in listeners}:
        server.print_listen("Serving on http://{}:{}")
        _log.info("AUTH_URL is %s, so that address has to lead here", settings.auth_url)
    else:
        _log.info("Serving on %s", settings.auth_url)
    _log.info("Open it in a browser and sign in with one click. docs/index.md says what comes next")
