"""An application that answers with the request that it received, and says when it is closed."""

import json
import signal
import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace

from authservice.web.request.sign_in_places import SignInPlaces


class Echo:
    """Has what a server uses of ours."""

    def __init__(self):
        components = SimpleNamespace(
            close=self.close,
            settings=SimpleNamespace(local_mode=False),
            database=SimpleNamespace(hand_back_reader=lambda: None),
            sign_in_places=SignInPlaces(4),
            webhook_secret=b"of events",
        )
        self.registry = SimpleNamespace(components=components)

    def close(self):
        sys.stderr.write("closed\n")

    def __call__(self, environ, start_response):
        if environ["PATH_INFO"] == "/broken":
            raise RuntimeError("of the application")
        if environ["PATH_INFO"] == "/held":
            sys.stderr.write("held\n")
            # A FIFO: this waits until a byte is written into it.
            with Path(environ["QUERY_STRING"]).open("rb", buffering=0) as fifo:
                fifo.read(1)
            sys.stderr.write("let go\n")
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        seen = {name: value for name, value in environ.items() if isinstance(value, str)}
        answer = json.dumps(seen | {"body": body.decode("latin-1")}).encode()
        start_response("200 OK", [("Content-Length", str(len(answer)))])
        return [answer]


def application(_global_config, **_settings):
    return Echo()


class ToldTwice(Echo):
    """Is told to stop once it is there, and again while it is closed for that."""

    def __init__(self):
        super().__init__()
        told = partial(signal.raise_signal, signal.SIGTERM)
        self.registry.components.sign_in_places = SimpleNamespace(fit=lambda _threads: told())
        self.registry.components.close = lambda: (told(), self.close())


def told_twice(_global_config, **_settings):
    return ToldTwice()
