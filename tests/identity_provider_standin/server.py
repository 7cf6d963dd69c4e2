"""The stand-in's server: a thread for each connection, one request changing the state at a time."""

import json
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from tests.identity_provider_standin import api, authorization, control, faults
from tests.identity_provider_standin.answer import Answer, json_answer
from tests.identity_provider_standin.state import State


class Server(ThreadingHTTPServer):
    """Listens on loopback."""

    daemon_threads = True

    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.lock = threading.Lock()
        self.state = State()

    def reset(self) -> None:
        """Forget everything, and end the faults that still wait."""
        old, self.state = self.state, State()
        old.over.set()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # the body does not wait for the head to be acknowledged
    server: Server

    def do_GET(self) -> None:
        self._handle()

    def do_POST(self) -> None:
        self._handle()

    def date_time_string(self, timestamp: float | None = None) -> str:
        """Return the moment on a clock that tests can put forward."""
        now = time.time()  # noqa: TID251  (another host's clock)
        return super().date_time_string(now + self.server.state.advanced)

    def log_message(self, *_arguments: object) -> None:
        """Say nothing: tests ask for the requests instead."""

    def _handle(self) -> None:
        address = urlsplit(self.path)
        query = dict(parse_qsl(address.query))
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if address.path.startswith("/control/"):
            self._send(self._control(address.path.removeprefix("/control/"), body))
            return
        # No form, no parameters: a body that is declared as something else is not read.
        is_form = self.headers.get("Content-Type") == "application/x-www-form-urlencoded"
        form = dict(parse_qsl(body.decode())) if is_form else {}
        with self.server.lock:
            state = self.server.state
            state.requests.append(
                {
                    "method": self.command,
                    "path": address.path,
                    "query": query,
                    "headers": dict(self.headers),
                    "form": form,
                }
            )
            kind = state.faults.get(address.path)
            answer = self._answer(state, address.path, query, form) if kind is None else None
        if kind in faults.ANSWERS:
            answer = faults.answer(state, kind, self.server.url)
        if answer is not None:
            self._send(answer)
            return
        self.close_connection = True
        with suppress(OSError):
            faults.spoil(state, kind, self.connection)

    def _answer(
        self, state: State, path: str, query: dict[str, str], form: dict[str, str]
    ) -> Answer:
        match self.command, path:
            case "GET", "/login/oauth/authorize":
                return authorization.authorize(state, query)
            case "POST", "/login/oauth/authorize":
                return authorization.decide(state, form)
            case "POST", "/login/oauth/access_token":
                return authorization.access_token(state, form, self.headers.get("Accept", ""))
            case ("GET" | "POST") as method, _ if path.startswith("/api/"):
                base = f"{self.server.url}/api"
                below = path.removeprefix("/api")
                return api.answer(state, method, base, below, query, self.headers)
        return json_answer(404, {"message": "Not Found", "status": "404"})

    def _control(self, name: str, body: bytes) -> Answer:
        with self.server.lock:
            if name == "reset":
                self.server.reset()
                return json_answer(200, {})
            return control.answer(self.server.state, name, json.loads(body or b"{}"))

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        self.send_header("Content-Length", str(len(answer.body)))
        self.send_header("X-GitHub-Request-Id", "0000:0000:00000:00000:00000000")
        for name, value in answer.headers:
            self.send_header(name, value)
        self.end_headers()
        with suppress(OSError):
            self.wfile.write(answer.body)
