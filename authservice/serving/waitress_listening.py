"""Where waitress listens, and what is said when it cannot."""

import errno
import logging
import os
import socket
import sys
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from waitress.server import BaseWSGIServer, create_server
from waitress.wasyncore import dispatcher

from authservice.settings import AuthSettings

_log = logging.getLogger(__name__)

_IPV4, _IPV6 = "127.0.0.1", "::1"
_HTTP = 80
# Who comes while so many wait to be taken is told to try again by the kernel, a second later.
_BACKLOG = "4096"
_REMEDIES = {
    errno.EADDRINUSE: "end the program that listens there, which ss -ltnp names, or set another"
    " listen_port",
    errno.EACCES: "ports below 1024 are root's: set listen_port to 1024 or more",
}
_OTHER_REMEDY = "set listen_host to an address of this machine"


def listen(
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


def announce(server: Any, settings: AuthSettings, listeners: list[BaseWSGIServer]) -> None:  # noqa: ANN401
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
    for one in sockets.values():
        if isinstance(one, BaseWSGIServer) and not one.accepting:
            host, port = one.sockinfo[3][:2]
            return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    return "its address"
