"""The driver's own limit: how many requests a second it asks of a server that does nothing."""

import subprocess
import sys

from tools.bench.driver.canned import BODY
from tools.bench.driver.http11 import WrongAnswerError, get
from tools.bench.driver.load import Operation, Outcome, connected, lasting
from tools.bench.machine.cores import Cores, pinned
from tools.bench.service.checkouts import here


def measure(seconds: float) -> Outcome:
    """Return what the driver does at most; the canned server may be what limits it."""
    cores = Cores.shared_out(1)
    with pinned(cores.of_process(0)):
        server = subprocess.Popen(
            [sys.executable, "-m", "tools.bench.driver.canned"],
            env=here().environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
    with server:  # its standard input is closed at the end, and so it ends
        assert server.stdout is not None  # noqa: S101  (it is a pipe)
        port = int(server.stdout.readline())
        with pinned({cores.load}), connected([port]) as load:
            return load.closed_loop([_ask], lasting(seconds))


def _ask() -> Operation:
    answer = yield get("localhost", "/api/health")
    if answer.status != 200 or answer.body != BODY:
        raise WrongAnswerError(f"not the canned answer: {answer.body!r}")
