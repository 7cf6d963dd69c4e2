"""What a request costs: the CPU time of the thread that answers it, the least of some tries."""

import gc
import io
import time
from dataclasses import dataclass, field

from tests.browser import ORIGIN

FORM = "application/x-www-form-urlencoded"
# At the greatest length that is let in: what costs less may grow as it likes.
_WORTH_A_LOOK = 0.01
_TRIES = 5
# Twice the length may cost twice the time. What grows with its square costs four times as much.
_MOST = 3


@dataclass(frozen=True)
class Sent:
    """One request, as a WSGI server hands it over."""

    method: str
    path: str
    query: str = ""
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)

    def environ(self):
        parts = {f"HTTP_{name.upper().replace('-', '_')}": v for name, v in self.headers.items()}
        parts["CONTENT_TYPE"] = parts.pop("HTTP_CONTENT_TYPE", FORM if self.body else "")
        return {
            "REQUEST_METHOD": self.method,
            "SCRIPT_NAME": "",
            "PATH_INFO": self.path,
            "QUERY_STRING": self.query,
            "CONTENT_LENGTH": str(len(self.body)),
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "37960",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "REMOTE_ADDR": "127.0.0.1",
            "HTTP_HOST": ORIGIN.partition("://")[2],
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(self.body),
            "wsgi.errors": io.StringIO(),
            "wsgi.multithread": True,
            "wsgi.multiprocess": False,
            "wsgi.run_once": False,
        } | parts


def of(app, sent):
    """Return the seconds of CPU that an answer takes; it must not be an error of ours."""
    environ = sent.environ()
    statuses = []
    # What tests have left behind is not this request's to clean up.
    gc.disable()
    began = time.thread_time()
    for _ in app(environ, lambda status, *_: statuses.append(status)):
        pass
    took = time.thread_time() - began
    gc.enable()
    assert not statuses[0].startswith("5"), sent
    return took


def grows_faster_than_its_length(app, make, longest):
    """Tell whether doubling what a request holds costs far more than double.

    ``make`` returns the request with so many characters of it. What another process does to this
    one's caches is seen once, and growth each time.
    """
    if of(app, make(longest)) < _WORTH_A_LOOK:
        return False
    return all(_grows(app, make, longest) for _ in range(_TRIES))


def _grows(app, make, longest):
    none, half, whole = (
        min(of(app, make(length)) for _ in range(_TRIES)) for length in (0, longest // 2, longest)
    )
    return whole - none > max(_WORTH_A_LOOK, _MOST * (half - none))
