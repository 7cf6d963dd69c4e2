"""Listening: the port is free, or ours already, and there are files enough for connections."""

import errno
import json
import resource
import socket
from collections.abc import Iterator

from authservice.diagnosis.deployment import Deployment
from authservice.diagnosis.finding import Finding, error, ok, warning
from authservice.httpclient import Client, Method, Request, SendError, Timeouts

IN_ORDER = "The port is free."

TAKEN = error(
    "listening.taken",
    "Another program listens on the port.",
    "Stop it (ss -ltnp names it), or set another listen_port, in the proxy too.",
)
NOT_HERE = error(
    "listening.not_here",
    "This machine does not have the address in listen_host.",
    "If the proxy is on this machine, set listen_host to 127.0.0.1, else to this machine's"
    " address.",
)
NOT_ALLOWED = error(
    "listening.not_allowed",
    "This user may not listen on the port: only root may listen on ports below 1024.",
    "Set listen_port to 1024 or more, and let the proxy listen on the public port.",
)
NO_PORT = error(
    "listening.no_port",
    "The port is not a number from 1 to 65535.",
    "Correct listen_port in the ini file.",
)
FILES = warning(
    "listening.files",
    "The process may open fewer files than connection_limit, and hangs when it has opened them"
    " all.",
    "Raise the limit: LimitNOFILE=65536 in the unit, or ulimit -n.",
)

_PORTS = range(1, 65536)
# The database, its log, standard streams, what is being delivered.
_OTHER_FILES = 64


def examine(deployment: Deployment) -> Iterator[Finding]:
    """Yield what would keep the server from listening."""
    host = deployment.server.get("host", "127.0.0.1")
    text = deployment.server.get("port", "8080")
    if not text.isdecimal() or int(text) not in _PORTS:
        yield NO_PORT.at("listen_port", found=text)
        return
    yield from _binding(deployment, host, int(text))
    connections = deployment.server.get("connection_limit", "")
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if connections.isdecimal() and int(connections) + _OTHER_FILES > files:
        yield FILES.at(
            "connection_limit", found=f"{files} files", expected=f"{connections} connections"
        )


def _binding(deployment: Deployment, host: str, port: int) -> Iterator[Finding]:
    address = f"{host}:{port}"
    try:
        family, kind, protocol, _, target = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(target)
            probe.listen()
    except PermissionError:
        yield NOT_ALLOWED.at("listen_port", found=address)
    except OSError as failure:
        if failure.errno != errno.EADDRINUSE:
            yield NOT_HERE.at("listen_host", found=address)
        elif _is_ours(deployment, host, port):
            yield ok("listening", "The service listens on the port already.", found=address)
        else:
            yield TAKEN.at("listen_port", found=address)


def _is_ours(deployment: Deployment, host: str, port: int) -> bool:
    reached = "127.0.0.1" if host in {"0.0.0.0", "*"} else host  # noqa: S104  (read, not bound)
    with Client(timeouts=Timeouts(connect=2, read=2, total=3), max_redirects=0) as client:
        try:
            answer = client.send(Request(Method.GET, f"http://{reached}:{port}/api/health"))
            content = json.loads(answer.body)
        except (SendError, ValueError):
            return False
    wanted = {"status": "ok", "service": deployment.settings.service_name}
    return bool(content == wanted)
