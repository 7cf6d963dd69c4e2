"""Local modes at once, each by ``authservice local``: none may see anything of another.

All share one browser, as on a developer's machine: it sends the cookies of localhost to every
port. They also share the template of the database, which the first ones find missing.
"""

import http.client
import json
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tools.bench.service.checkouts import here
from tools.prove.outcome import Extent, Outcome

_AT_ONCE: dict[Extent, int] = {"brief": 3, "quick": 16, "long": 16}
_BATCHES: dict[Extent, int] = {"brief": 1, "quick": 63, "long": 315}
_STARTING = 120.0
_STOPPING = 30.0
_SECONDS_OF_A_DAY = 24 * 3600


@dataclass(frozen=True)
class LocalMode:
    """One of them, with a person, a session and a clock of its own."""

    number: int
    url: str
    control_token: str

    @property
    def person(self) -> str:
        """Return the person that is known here alone."""
        return f"person-{self.number}"

    @cached_property
    def cookies(self) -> str:
        """Return what a browser has of it: the cookies of a session of its person."""
        self._control("PUT", f"persons/{self.person}", {"name": f"Person {self.number}"})
        self._control("POST", "clock", {"advance": self.number * _SECONDS_OF_A_DAY})
        cookies: str = self._control("POST", "sessions", {"person": self.person})["cookie"]
        return cookies

    def losses(self, others: Sequence["LocalMode"], browser: str) -> Iterator[str]:
        """Yield what it shows of others to their browser, or to who has their control tokens."""
        _, session = self._ask("GET", "/api/auth/get-session", {"Cookie": browser})
        if session is None or session["user"]["name"] != f"Person {self.number}":
            yield "a browser that is signed in everywhere was taken for another person"
        strangers = "; ".join(each.cookies for each in others)
        _, session = self._ask("GET", "/api/auth/get-session", {"Cookie": strangers})
        if session is not None:
            yield "the session of another counted"
        names = [each["id"] for each in self._control("GET", "persons")["persons"]]
        if names != ["local-developer", self.person]:
            yield f"it has other persons than its own: {names}"
        for other in others:
            bearer = {"Authorization": f"Bearer {other.control_token}"}
            if self._ask("GET", "/api/local/persons", bearer)[0] != 401:
                yield "the control token of another was obeyed"

    def state(self) -> tuple[frozenset[str], str]:
        """Return the ids of its keys, and its day."""
        _, keys = self._ask("GET", "/api/auth/jwks", {})
        now: str = self._control("POST", "clock", {"advance": 0})["now"]
        return frozenset(key["kid"] for key in keys["keys"]), now[:10]

    def _control(self, method: str, path: str, content: object = None) -> Any:  # noqa: ANN401
        headers = {"Authorization": f"Bearer {self.control_token}"}
        status, answer = self._ask(method, f"/api/local/{path}", headers, content)
        if status not in {200, 204}:
            raise RuntimeError(f"{method} {path}: {status} {answer}")
        return answer

    def _ask(
        self, method: str, path: str, headers: dict[str, str], content: object = None
    ) -> tuple[int, Any]:
        body = None if content is None else json.dumps(content)
        typed = {} if content is None else {"Content-Type": "application/json"}
        connection = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=_STARTING)
        try:
            connection.request(method, path, body, headers | typed)
            answer = connection.getresponse()
            text = answer.read()
            return answer.status, json.loads(text) if text else None
        finally:
            connection.close()


def try_out(extent: Extent) -> Outcome:
    """Start batch after batch; each holds when none of its members has seen another."""
    losses: list[str] = []
    started = 0
    with tempfile.TemporaryDirectory(prefix="prove-") as folder:
        for _ in range(_BATCHES[extent]):
            started += _AT_ONCE[extent]
            losses += _batch(_AT_ONCE[extent], Path(folder))
    figures = [("starts", started), ("at once", _AT_ONCE[extent])]
    return Outcome("isolation", figures, losses)


def _batch(number: int, folder: Path) -> list[str]:
    temporary = folder / "temporary"
    temporary.mkdir(exist_ok=True)
    with _running(number, folder) as members:
        losses = list(_seen(members))
    left = [each.name for each in temporary.iterdir()]
    return losses + [f"its temporary folder was left: {name}" for name in left]


def _seen(members: Sequence[LocalMode]) -> Iterator[str]:
    with ThreadPoolExecutor(len(members)) as beside:
        browser = "; ".join(beside.map(lambda each: each.cookies, members))
        for member in members:
            yield from member.losses([each for each in members if each is not member], browser)
        states = list(beside.map(LocalMode.state, members))
    kids = [kid for keys, _ in states for kid in keys]
    if len(set(kids)) < len(kids):
        yield "two have a signing key in common"
    if len({day for _, day in states}) < len(states):
        yield "one has turned the clock of another"
    if len({each.url for each in members}) < len(members):
        yield "two have the same port"


@contextmanager
def _running(number: int, folder: Path) -> Iterator[list[LocalMode]]:
    checkout = here()
    environment = checkout.environment() | {
        "TMPDIR": str(folder / "temporary"),
        "XDG_CACHE_HOME": str(folder / "cache"),
    }
    options = ["--port", "0", "--database", ":temporary:", "--print-json"]
    command = [str(checkout.program("authservice")), "local", *options]
    processes = [
        subprocess.Popen(
            command,
            cwd=checkout.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        for _ in range(number)
    ]
    try:
        yield [
            LocalMode(place, **json.loads(each.stdout.readline() if each.stdout else ""))
            for place, each in enumerate(processes)
        ]
    finally:
        for each in processes:
            each.terminate()
        for each in processes:
            each.wait(_STOPPING)
            if each.stdout:
                each.stdout.close()
