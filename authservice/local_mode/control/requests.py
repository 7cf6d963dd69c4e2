"""GET requests: the last ones, and on demand the next."""

import re
from typing import Any

from pyramid.response import Response

from authservice.local_mode.control.errors import invalid
from authservice.web.answers import json_answer

NAMES = ("after", "wait")
"""The parameters of the query."""

_LONGEST_WAIT = 30
_SECONDS = re.compile(r"[0-9]+(\.[0-9]+)?")


def list_requests(request: Any) -> Response:
    """Return the requests after a number; with ``wait`` and none yet, the next within seconds."""
    log = request.components.request_log
    wait = _seconds(request.GET.get("wait", "0"))
    # Who waits without a number wants what comes from now on.
    otherwise = log.last() if wait else 0
    entries = log.after(_number(request.GET.get("after", str(otherwise))), wait)
    return json_answer({"requests": entries})


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 16):  # noqa: PLR2004  (64 bits)
        raise invalid("This is no number of a request", "after", ["the id of a request, or 0"])
    return int(text)


def _seconds(text: str) -> float:
    if not (_SECONDS.fullmatch(text) and float(text) <= _LONGEST_WAIT):
        raise invalid("So long it cannot wait", "wait", [f"seconds from 0 to {_LONGEST_WAIT}"])
    return float(text)
