"""A process that serves requests in itself, on the word of the test: ``python -m`` runs it.

Each line is an order: settings, of which it builds the application anew, a list of requests, which
several threads send at once, or a number of seconds by which it sets its clock forward. The answer
is one line too.
"""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial

from webob import Request

from authservice import clock, main

_THREADS = 5


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
    response = request.get_response(app)
    return {
        "status": response.status_int,
        "location": response.location,
        "body": response.text,
        "cookies": response.headers.getall("Set-Cookie"),
    }


def _serve():
    app = None
    _say("ready")
    with ThreadPoolExecutor(_THREADS) as threads:
        for line in sys.stdin:
            order = json.loads(line)
            if isinstance(order, dict):
                _close(app)
                app = main({}, **order)
                _say("built")
            elif isinstance(order, int):
                # What is due by the old time is made by it.
                app.registry.components.signing_keys.wait()
                _set_forward(timedelta(seconds=order))
                _say("set")
            else:
                _say(list(threads.map(partial(_send, app), order)))
    _close(app)


def _set_forward(duration):
    now = clock.now
    clock.now = lambda: now() + duration


def _close(app):
    if app is not None:
        app.registry.components.close()


if __name__ == "__main__":
    _serve()
