"""Servers told to stop at random moments: each ends, with all that it has started.

A request in progress is answered first, for which the server has its drain. A main process that is
killed cannot tell its workers to stop: they end with it.
"""

import http.client
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import product
from pathlib import Path
from threading import Event, Thread

from tools.bench.databases.empty import EmptyDatabase
from tools.bench.service.checkouts import here
from tools.bench.service.deployment import Deployment
from tools.bench.service.servers import first_answer, ini_file
from tools.bench.service.variants import Variant
from tools.prove.outcome import Extent, Outcome

_STOPS: dict[Extent, int] = {"brief": 10, "quick": 100, "long": 1000}
_STARTING = 60.0  # seconds
_DRAIN = 15.0
# Beyond the drain, for a machine that does other things too.
_LATE = 5.0
# What a process has started ends so much later, at most.
_ORPHANED = 2.0
_WORKERS = 2
# So that one has begun only just when all are told to stop.
_MANY_WORKERS = 8
_CLIENTS = 4
_WHILE_STARTING = (0.0, 2.0)
_WHILE_SERVING = (0.0, 0.5)
# What the servers say when they have waited for the whole drain.
_HURRIED = ("refused to gracefully stop", "requests unanswered")
_HALF = (
    b"POST /api/auth/oauth2/token HTTP/1.1\r\nHost: localhost\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 21\r\n\r\ngrant_type"
)


class _Subject:
    """A server with its processes, all of one process group, which is the main process's."""

    def __init__(self, server: str, folder: Path, chance: random.Random, workers: int) -> None:
        self.chance = chance
        variant = Variant("stops", here(), server=server, processes=1)
        deployment = Deployment(variant, folder, EmptyDatabase(f"sqlite:///{folder}/stops.sqlite"))
        self.port = deployment.ports[0]
        self.log = folder / "stops.log"
        arguments = ["local.ini"]
        if server != "pserve":
            arguments = [
                f"--workers={workers}",
                str(ini_file(variant.checkout, folder, granian=True)),
            ]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [variant.checkout.program(server), *arguments, f"listen_port={self.port}"],
                cwd=variant.checkout.folder,
                env=deployment.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                process_group=0,
            )

    def said(self) -> str:
        return self.log.read_text("utf-8", "replace")

    def wait_until_it_serves(self) -> None:
        # It listens a moment before it obeys.
        first_answer(self.process, self.port, self.log)

    def wait_until_it_has_workers(self) -> None:
        deadline = time.monotonic() + _STARTING
        while len(self.living()) == 1:
            if time.monotonic() > deadline:
                raise RuntimeError(f"it has no workers:\n{self.said()[-2000:]}")
            time.sleep(0.001)

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), _STARTING)

    def tell(self, how: signal.Signals | None = None) -> None:
        """Tell it to stop: the main process or all of them, as a shell, systemd or a terminal."""
        whom = self.chance.choice([os.kill, os.killpg])
        with suppress(ProcessLookupError):
            whom(self.process.pid, how or self.chance.choice([signal.SIGTERM, signal.SIGINT]))

    def living(self) -> list[int]:
        """Return the processes of the group that have not ended."""
        living = []
        for stat in Path("/proc").glob("[0-9]*/stat"):
            # It may end before it is read.
            with suppress(OSError):
                state, _, group = stat.read_text("utf-8").rpartition(")")[2].split()[:3]
                if int(group) == self.process.pid and state not in "ZX":
                    living.append(int(stat.parent.name))
        return living

    def kill(self) -> None:
        """End what is left, whatever it does."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def _while_it_starts(subject: _Subject) -> Iterator[str]:
    time.sleep(subject.chance.uniform(*_WHILE_STARTING))
    # What a shell has put into the background ignores SIGINT until it has a handler of its own.
    subject.tell(signal.SIGTERM)
    yield from _ended_by_itself(subject)


def _as_soon_as_it_has_workers(subject: _Subject) -> Iterator[str]:
    subject.wait_until_it_has_workers()
    # It alone: the workers are to hear of it from the main process.
    subject.process.terminate()
    yield from _ended_by_itself(subject)


def _under_load(subject: _Subject) -> Iterator[str]:
    subject.wait_until_it_serves()
    with _load(subject.port) as broken_off:
        time.sleep(subject.chance.uniform(*_WHILE_SERVING))
        subject.tell()
        yield from _ended_in_order(subject)
    if broken_off:
        yield "an answer broke off"


def _with_open_connections(subject: _Subject) -> Iterator[str]:
    subject.wait_until_it_serves()
    with ExitStack() as stack:
        for _ in range(_CLIENTS):
            stack.enter_context(subject.connect())
            kept = http.client.HTTPConnection("127.0.0.1", subject.port, timeout=_STARTING)
            stack.callback(kept.close)
            kept.request("GET", "/api/health")
            kept.getresponse().read()
        time.sleep(subject.chance.uniform(*_WHILE_SERVING))
        subject.tell()
        yield from _ended_in_order(subject)


def _with_half_a_request(subject: _Subject) -> Iterator[str]:
    subject.wait_until_it_serves()
    with subject.connect() as half:
        half.sendall(_HALF)
        time.sleep(subject.chance.uniform(*_WHILE_SERVING))
        subject.tell()
        yield from _ended(subject)


def _killed(subject: _Subject) -> Iterator[str]:
    subject.wait_until_it_serves()
    time.sleep(subject.chance.uniform(*_WHILE_SERVING))
    subject.process.kill()
    yield from _ended(subject)


SITUATIONS: dict[str, Callable[[_Subject], Iterator[str]]] = {
    "while it starts": _while_it_starts,
    "as soon as it has workers": _as_soon_as_it_has_workers,
    "under load": _under_load,
    "with open connections": _with_open_connections,
    "with half a request": _with_half_a_request,
    "killed": _killed,
}
CASES = [
    (server, situation)
    for server, situation in product(("pserve", "authservice-granian"), SITUATIONS)
    if server != "pserve" or situation != "as soon as it has workers"
]


def at_random_moments(extent: Extent) -> Outcome:
    """Stop one server after the other, in each situation in turn."""
    seed = random.SystemRandom().randrange(10**9)
    sys.stdout.write(f"  seed {seed}\n")
    chance = random.Random(seed)
    losses: list[str] = []
    for number in range(_STOPS[extent]):
        losses += stop(*CASES[number % len(CASES)], chance)
    return Outcome("stops", [("stops", _STOPS[extent])], losses)


def stop(server: str, situation: str, chance: random.Random) -> list[str]:
    """Start a server and stop it; return a sentence for each promise that it did not keep."""
    with tempfile.TemporaryDirectory(prefix="prove-") as folder:
        workers = _MANY_WORKERS if situation == "as soon as it has workers" else _WORKERS
        subject = _Subject(server, Path(folder), chance, workers)
        try:
            found = [f"{server} {situation}: {loss}" for loss in SITUATIONS[situation](subject)]
        finally:
            subject.kill()
        if found:
            sys.stdout.write(f"{subject.said()}\n")
        return found


def _ended(subject: _Subject) -> Iterator[str]:
    try:
        subject.process.wait(_DRAIN + _LATE)
    except subprocess.TimeoutExpired:
        yield "the main process did not end"
        return
    deadline = time.monotonic() + _ORPHANED
    while (left := list(_left(subject))) and time.monotonic() < deadline:
        time.sleep(0.01)
    yield from left


def _left(subject: _Subject) -> Iterator[str]:
    if subject.living():
        yield "a worker outlived the main process"
    try:
        socket.create_server(("127.0.0.1", subject.port)).close()
    except OSError:
        yield "the port is still taken"


def _ended_by_itself(subject: _Subject) -> Iterator[str]:
    """Yield the losses of a server that has nothing to answer when it is told to stop."""
    yield from _ended(subject)
    said = subject.said()
    yield from (f"it said: {words}" for words in _HURRIED if words in said)


def _ended_in_order(subject: _Subject) -> Iterator[str]:
    """Yield the losses of a server that can answer everything before it ends."""
    yield from _ended_by_itself(subject)
    if subject.process.returncode != 0:
        yield f"it ended with status {subject.process.returncode}"


@contextmanager
def _load(port: int) -> Iterator[list[http.client.IncompleteRead]]:
    """Ask all the time, on several connections; give the answers that broke off."""
    ended = Event()
    broken_off: list[http.client.IncompleteRead] = []

    def ask() -> None:
        while not ended.is_set():
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_STARTING)
            try:
                while not ended.is_set():
                    connection.request("GET", "/sign-in")
                    connection.getresponse().read()
            except http.client.IncompleteRead as error:
                broken_off.append(error)
            except (OSError, http.client.HTTPException):
                # It stops listening, and closes connections without a request.
                ended.wait(0.01)
            finally:
                connection.close()

    clients = [Thread(target=ask) for _ in range(_CLIENTS)]
    for client in clients:
        client.start()
    try:
        yield broken_off
    finally:
        ended.set()
        for client in clients:
            client.join()
