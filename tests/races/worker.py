"""A process that serves requests in itself, on the word of the tests: ``python -m`` runs it.

Each line is an order: settings and the environment, of which it makes an application that takes
the place of the one before; a list of requests, which several threads send at once; a number of
seconds by which it sets its clock forward; or null, with which it is again as it was at its start.
The answer is one line too.
"""

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial

from webob import Request

from authservice import clock
from tests.helpers.compiled_sql import share_compiled_sql
from tests.helpers.routers import Routers

_THREADS = 5
_NOW = clock.now


def _say(value):
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def _send(app, wanted):
    request = Request.blank(
        wanted["path"],
        environ=wanted.get("environ"),
        base_url=wanted.get("origin", "http://localhost:37960"),
        method="POST" if {"form", "json"} & wanted.keys() else "GET",
        POST=wanted.get("form"),
        headers=wanted.get("headers", {}),
    )
    if "json" in wanted:
        request.json = wanted["json"]
        request.content_type = "application/json"
    if "body" in wanted:
        request.method = "POST"
        request.body = wanted["body"].encode()
    response = request.get_response(app)
    return {
        "status": response.status_int,
        "location": response.location,
        "body": response.text,
        "cookies": response.headers.getall("Set-Cookie"),
    }


class _Served:
    """The application of the moment. What takes long to make is kept for the next one."""

    def __init__(self):
        self.app = None
        self._routers = Routers({})
        self._environ = dict(os.environ)

    def build(self, settings, environ):
        self._take_back()
        os.environ.update(environ)
        self.app = self._routers.application(settings)

    def end(self):
        self._take_back()
        os.environ.clear()
        os.environ.update(self._environ)
        clock.now = _NOW

    def set_clock_forward(self, seconds):
        # What is due by the old time is made by it.
        self.app.registry.components.signing_keys.wait()
        now, duration = clock.now, timedelta(seconds=seconds)
        clock.now = lambda: now() + duration

    def _take_back(self):
        if self.app is not None:
            self._routers.take_back(self.app)
            self.app = None


def _serve():
    served = _Served()
    share_compiled_sql()
    _say("ready")
    with ThreadPoolExecutor(_THREADS) as threads:
        for line in sys.stdin:
            order = json.loads(line)
            if order is None:
                served.end()
                _say("ended")
            elif isinstance(order, dict):
                served.build(**order)
                _say("built")
            elif isinstance(order, int):
                served.set_clock_forward(order)
                _say("set")
            else:
                _say(list(threads.map(partial(_send, served.app), order)))
    served.end()


if __name__ == "__main__":
    _serve()
