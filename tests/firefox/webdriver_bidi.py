"""WebDriver BiDi (W3C): a session with a browser, in JSON over one WebSocket."""

import json
from contextlib import contextmanager
from itertools import count

from websockets.sync.client import connect

PATIENCE = 30  # seconds


class BiDiError(Exception):
    """The browser could not carry out a command."""


@contextmanager
def session(address, events):
    """Hold a session with the browser at an address, and end the browser with it."""
    # A browser that loads a page answers no ping meanwhile, and pictures are large.
    options = {"proxy": None, "compression": None, "ping_interval": None, "max_size": None}
    with connect(f"{address}/session", **options) as socket:
        held = Session(socket)
        held.ask("session.new", capabilities={})
        held.ask("session.subscribe", events=events)
        yield held
        held.ask("browser.close")


class Session:
    """Asks a browser, and hands its events to listeners while it waits."""

    def __init__(self, socket):
        self._socket = socket
        self._numbers = count(1)
        self._listeners = []
        self._events = 0

    def ask(self, command, **parameters):
        """Return the result of a command; raise ``BiDiError`` with the browser's reason."""
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": command, "params": parameters}))
        while (message := self._receive()).get("id") != number:
            pass
        if message["type"] == "error":
            raise BiDiError(f"{command}: {message['error']}: {message['message']}")
        return message["result"]

    def listen(self, listener):
        """Hand every event to the listener from now on: its name and its parameters."""
        self._listeners.append(listener)

    def listen_no_more(self, listener):
        self._listeners.remove(listener)

    def wait_until(self, condition):
        """Receive events until the condition is fulfilled; raise ``TimeoutError`` in silence."""
        while True:
            known = self._events
            if condition():
                return
            # The condition may have queried the browser: then events may have come meanwhile.
            if known == self._events:
                self._receive()

    def _receive(self):
        message = json.loads(self._socket.recv(timeout=PATIENCE))
        if message["type"] == "event":
            self._events += 1
            for listener in self._listeners:
                listener(message["method"], message["params"])
        return message
