"""Ways in which an address of the stand-in can fail when told to."""

import socket
import struct

from tests.identity_provider_standin.answer import Answer, html_answer, json_answer, redirect
from tests.identity_provider_standin.pages import rate_limit_headers
from tests.identity_provider_standin.state import State

_LONGEST = 60.0
_UNICORN = "<!DOCTYPE html><title>Unicorn!</title><p>No server is currently available.</p>"
HUGE = 8 * 1024 * 1024
# Bodies that are not what the status promises.
_BODIES = {
    "not_json": "<!DOCTYPE html><title>Maintenance</title>",
    "deep": "[" * 500_000,
    "empty": "",
    "text": '"sure"',
    "no_entries": "[]",
}
_FORBIDDEN = {
    "rate_limited": "API rate limit exceeded for user ID 583231.",
    "secondary_limit": "You have exceeded a secondary rate limit.",
    "forbidden": "Resource not accessible by integration",
}
ANSWERS = {
    "500",
    "502",
    "429",
    "404",
    "no_entries",
    "endless",
    "huge",
    "redirect",
    *_BODIES,
    *_FORBIDDEN,
}
KINDS = ANSWERS | {"slow", "drip", "reset", "truncated"}


def answer(state: State, kind: str, base: str) -> Answer:
    """Return the answer of a fault that is one."""
    if kind in _BODIES:
        return html_answer(200, _BODIES[kind])
    if kind == "huge":
        return json_answer(200, {"login": "x" * HUGE})
    if kind == "endless":
        links = f'<{base}/elsewhere?page=2>; rel="next"'
        return json_answer(200, [], ("Link", links))
    if kind == "redirect":
        return redirect(f"{base}/elsewhere", from_fault="yes")
    if kind in _FORBIDDEN:
        headers = {
            "rate_limited": rate_limit_headers(0),
            "secondary_limit": [("Retry-After", "60")],
        }
        return json_answer(403, {"message": _FORBIDDEN[kind]}, *headers.get(kind, []))
    return html_answer(int(kind), _UNICORN)


def spoil(state: State, kind: str, connection: socket.socket) -> None:
    """Treat the connection as the fault demands, instead of answering."""
    over = state.over
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n"
    match kind:
        case "slow":
            over.wait(_LONGEST)
        case "drip":
            connection.sendall(head)
            while not over.wait(0.02):
                connection.sendall(b" ")
        case "truncated":
            connection.sendall(head + b'{"login": "octo')
        case _:
            linger = struct.pack("ii", 1, 0)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
