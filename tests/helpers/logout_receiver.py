"""A client's back-channel logout endpoint: a real server on loopback that does as it is told."""

import queue
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

import pytest

from tests.helpers.relying_party import RelyingParty

PATIENCE = 20


@dataclass
class Received:
    """One request as it arrived."""

    path: str
    content_type: str
    form: dict[str, list[str]]

    @property
    def token(self):
        (token,) = self.form["logout_token"]
        return token


class LogoutReceiver:
    """Notes what arrives, and answers with a status; while it is held it answers nothing."""

    def __init__(self):
        self.status = 200
        self.headers = {}
        self._arrived = queue.Queue()
        self._go_on = threading.Event()
        self._go_on.set()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, args=[0.01])
        self._thread.start()

    @property
    def uri(self):
        return f"http://127.0.0.1:{self._server.server_port}/backchannel-logout"

    def hold(self):
        """Answer no request until ``release``."""
        self._go_on.clear()

    def release(self):
        self._go_on.set()

    def next(self):
        """Return the next request, waiting for it if need be."""
        return self._arrived.get(timeout=PATIENCE)

    def has_more(self):
        return not self._arrived.empty()

    def close(self):
        self.release()
        self._server.shutdown()
        self._thread.join()
        # Waits for the requests that are being answered.
        self._server.server_close()

    def _handler(receiver):  # noqa: N805  (the handler below has the name self)
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                length = int(self.headers["Content-Length"])
                form = parse_qs(self.rfile.read(length).decode(), strict_parsing=True)
                receiver._arrived.put(Received(self.path, self.headers["Content-Type"], form))
                receiver._go_on.wait(PATIENCE)
                try:
                    self.send_response(receiver.status)
                    for name, value in receiver.headers.items():
                        self.send_header(name, value)
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                except OSError:
                    # The client has hung up.
                    self.close_connection = True

            def log_message(self, *_):
                pass

        return Handler


@pytest.fixture
def receiver(app):
    """The back-channel logout endpoint of a client, gone before the application is."""
    made = LogoutReceiver()
    yield made
    made.close()


@pytest.fixture
def told_client(app, database, receiver):
    """A client that wants to be told when a session ends."""
    return RelyingParty.registered(
        app, database, enable_end_session=True, backchannel_logout_uri=receiver.uri
    )


@pytest.fixture
def teller(app):
    """The part of the application that tells clients, working in its own thread."""
    return app.registry.components.backchannel_logout


class ByHand:
    """The part that tells clients, with its thread ended: the test makes each attempt."""

    def __init__(self, teller):
        teller.stop()
        self._teller = teller
        self.end_expired_sessions = teller.end_expired_sessions

    def attempt_one(self):
        """Make one attempt at the notice whose turn it is; False when none is due."""
        is_due, attempt = self._teller._next_attempt()
        if attempt is not None:
            failure = self._teller._delivery.deliver(attempt.uri, attempt.token)
            self._teller._record(attempt, failure)
        return is_due


@pytest.fixture
def by_hand(teller):
    """The same with its thread ended: the test makes each attempt."""
    return ByHand(teller)
