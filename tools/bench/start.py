"""``./run bench start``: what local mode takes to start and to be reset, as tests have it do.

Once a start took two commands: one to migrate a new database, one to serve it. The CPU time that
these take in a commit of that time, from nothing to the first answer, is measured in turns with
that of ``authservice local`` of this checkout.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

from tools.bench.machine.accounting import cpu_seconds
from tools.bench.report.table import aligned
from tools.bench.service.checkouts import Checkout, here
from tools.bench.service.deployment import free_ports
from tools.bench.service.revisions import check_out

BEFORE = "529f512"
LIMIT = 0.5
RESET_LIMIT = 0.05
"""The seconds that a reset may take."""
_TIMES = 5
_RESETS = 20


@dataclass(frozen=True, slots=True)
class Starts:
    """CPU seconds of each start, by the command that took them, and seconds until the resets."""

    migrate: Sequence[float]
    pserve: Sequence[float]
    local: Sequence[float]
    resets: Sequence[float]

    @property
    def ratio(self) -> float:
        """Return what the one command takes of what the two took."""
        return median(self.local) / (median(self.migrate) + median(self.pserve))

    @property
    def ratio_to_pserve(self) -> float:
        """Return what the one command takes of what the second of the two took."""
        return median(self.local) / median(self.pserve)


def main(arguments: Sequence[str]) -> int:
    """Measure, print, and return 1 when a start or a reset takes longer than it may."""
    parser = argparse.ArgumentParser(prog="./run bench start", allow_abbrev=False)
    parser.add_argument("--times", type=int, default=_TIMES, help=f"starts of each kind ({_TIMES})")
    parser.add_argument("--against", default=BEFORE, metavar="REV", help=f"commit ({BEFORE})")
    wanted = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        starts = measured(check_out(wanted.against, Path(folder)), wanted.times)
    sys.stdout.write(text_of(starts))
    return 1 if starts.ratio > LIMIT or median(starts.resets) > RESET_LIMIT else 0


def text_of(starts: Starts) -> str:
    """Return the medians and the ratios, for people."""
    rows: list[tuple[str, ...]] = [("CPU time to the first answer", "median", "least", "most")]
    rows += [
        (name, *(f"{each:.2f} s" for each in (median(found), min(found), max(found))))
        for name, found in (
            ("authservice migrate, before", starts.migrate),
            ("pserve local.ini, before", starts.pserve),
            ("authservice local", starts.local),
        )
    ]
    typical, longest = (f"{1000 * of(starts.resets):.1f}" for of in (median, max))
    ratios = (
        f"{starts.ratio:.2f} of migrate and pserve together; the limit is {LIMIT}",
        f"{starts.ratio_to_pserve:.2f} of pserve alone",
        f"{typical} ms for a reset, {longest} at most; the median's limit is {RESET_LIMIT} s",
    )
    return "\n".join([*aligned(rows), *ratios, ""])


def measured(before: Checkout, times: int) -> Starts:
    """Return what the starts take, in turns, after one of each that fills the caches."""
    rounds = [(*_two_commands(before), *_one_command(here())) for _ in range(times + 1)]
    migrate, pserve, local, resets = zip(*rounds[1:], strict=True)
    return Starts(migrate, pserve, local, [seconds for each in resets for seconds in each])


def _two_commands(checkout: Checkout) -> tuple[float, float]:
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        (port,) = free_ports(1)
        url = f"http://localhost:{port}"
        environment = checkout.environment() | {
            "AUTH_URL": url,
            "AUTH_DATABASE_URL": f"sqlite:///{folder}/local.sqlite",
        }
        command = [str(checkout.program("authservice")), "migrate", "--config", "local.ini"]
        migrated = _cpu_of(command, checkout, environment)
        command = [str(checkout.program("pserve")), "local.ini", f"listen_port={port}"]
        with _serving(command, checkout, environment) as server:
            # What it writes tells that it listens.
            for line in server.stderr or ():
                if "Serving on" in line:
                    break
            return migrated, _cpu_after_answer(server, url)


def _one_command(checkout: Checkout) -> tuple[float, Sequence[float]]:
    options = ["--port", "0", "--database", ":temporary:", "--print-json"]
    command = [str(checkout.program("authservice")), "local", *options]
    with _serving(command, checkout, checkout.environment()) as server:
        told = json.loads((server.stdout or sys.stdin).readline())
        taken = _cpu_after_answer(server, told["url"])
        return taken, [_reset(**told) for _ in range(_RESETS)]


def _reset(url: str, control_token: str) -> float:
    """Return the seconds that a reset takes, after what a test does."""
    _control(url, control_token, "sessions", {"person": "local-developer"})
    _control(url, control_token, "clock", {"advance": 60})
    began = perf_counter()
    _control(url, control_token, "reset", None)
    return perf_counter() - began


def _control(url: str, control_token: str, path: str, content: object) -> None:
    request = urllib.request.Request(  # noqa: S310  (http on loopback, as above)
        f"{url}/api/local/{path}",
        data=b"" if content is None else json.dumps(content).encode(),
        headers={"Authorization": f"Bearer {control_token}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=20) as answer:  # noqa: S310  (as above)
        answer.read()


def _cpu_of(command: Sequence[str], checkout: Checkout, env: Mapping[str, str]) -> float:
    before = os.times()
    subprocess.run(command, cwd=checkout.folder, env=env, check=True, stderr=subprocess.DEVNULL)
    after = os.times()
    user = after.children_user - before.children_user
    return user + after.children_system - before.children_system


@contextmanager
def _serving(
    command: Sequence[str], checkout: Checkout, env: Mapping[str, str]
) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        command,
        cwd=checkout.folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            yield server
        finally:
            server.terminate()


def _cpu_after_answer(server: "subprocess.Popen[str]", url: str) -> float:
    # http on loopback, to a server that was started here.
    with urllib.request.urlopen(f"{url}/api/health", timeout=20) as answer:  # noqa: S310
        answer.read()
    return cpu_seconds([server.pid])
