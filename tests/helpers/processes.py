"""Real processes for tests: started on free loopback ports, watched until ready, stopped."""

import os
import signal
import subprocess
import sys
import threading
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from tests.helpers.engines import migrate
from tests.helpers.ports import free_port

ROOT = Path(__file__).parents[2]
SCRIPTS = Path(sys.executable).parent
_START_SECONDS = 40
# Five more than the servers themselves wait for what is under way.
_END_SECONDS = 20
# What a program has started ends with it, or this much later.
_FAMILY_SECONDS = 2
# On SIGABRT Python prints what each of its threads is doing.
_SAYS_WHERE_IT_IS = {"PYTHONUNBUFFERED": "1", "PYTHONFAULTHANDLER": "1"}


class Process:
    """A program of the test, ready once it has written a certain text, as often as it should."""

    def __init__(self, command, *, ready, times=1, env=None, cwd=ROOT, **owner):
        self.output = []
        self._process = subprocess.Popen(
            [str(part) for part in command],
            cwd=cwd,
            env=clean_environment() | _SAYS_WHERE_IT_IS | (env or {}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            process_group=0,
            **owner,
        )
        self._ready = threading.Event()
        self._reader = threading.Thread(target=self._read, args=[ready, times], daemon=True)
        self._reader.start()
        self._ready.wait(_START_SECONDS)
        if not self._is_ready(ready, times):
            self.stop()
            raise AssertionError("".join(self.output))

    @property
    def pid(self):
        return self._process.pid

    def children(self):
        """Return the processes that it has started, by their number."""
        known = Path(f"/proc/{self.pid}/task/{self.pid}/children")
        return [int(number) for number in known.read_text("ascii").split()]

    def stop(self, how=signal.SIGTERM):
        """End the program and return its exit status."""
        if self._process.poll() is None:
            self._process.send_signal(how)
        return self.wait()

    def wait(self):
        """Return the exit status of a program that ends by itself; fail if it does not."""
        try:
            status = self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._kill()
            raise AssertionError("it does not end: " + "".join(self.output)) from None
        # A process that has its output open keeps the reader waiting.
        self._reader.join(_FAMILY_SECONDS)
        if self._reader.is_alive():
            self._kill()
            raise AssertionError("what it has started goes on: " + "".join(self.output))
        self._process.stdout.close()
        return status

    def _kill(self):
        for how in (signal.SIGABRT, signal.SIGKILL):
            with suppress(ProcessLookupError):
                os.killpg(self.pid, how)
            self._reader.join(5)
        self._process.wait(5)
        self._process.stdout.close()

    def _is_ready(self, ready, times):
        return sum(ready in line for line in self.output) >= times

    def _read(self, ready, times):
        for line in self._process.stdout:
            self.output.append(line)
            if ready in line and self._is_ready(ready, times):
                self._ready.set()
        self._ready.set()


class LocalService(Process):
    """``pserve local.ini``, or of an ini file like it, on a port and a database of its own."""

    def __init__(self, folder, *, command=SCRIPTS / "pserve", ini="local.ini", workers=1, **env):
        self.port = free_port()
        self.url = f"http://localhost:{self.port}"
        self.env = {
            "AUTH_URL": self.url,
            "AUTH_DATABASE_URL": f"sqlite:///{folder}/local.sqlite",
        } | env
        # As the command does it, without a process of its own.
        migrate(self.env["AUTH_DATABASE_URL"])
        super().__init__(
            [command, ini, f"listen_port={self.port}", *_workers(workers)],
            ready="Serving on",
            times=workers,
            env=self.env,
        )

    @property
    def control_token(self):
        """Return what a program has to send that controls the service."""
        if (given := self.env.get("AUTH_LOCAL_CONTROL_TOKEN")) is not None:
            return given
        file = Path(self.env["AUTH_DATABASE_URL"].removeprefix("sqlite:///"))
        return file.with_name("control-token").read_text(encoding="ascii")

    def command(self, *arguments):
        """Run a console script against this service's database and return what it prints."""
        return finished([SCRIPTS / arguments[0], *arguments[1:]], env=self.env, check=True).stdout


def finished(command, *, cwd=ROOT, env=None, check=False, **options):
    """Run a program of the test to its end; return its status and what it wrote."""
    return subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=clean_environment() | (env or {}),
        check=check,
        capture_output=True,
        text=True,
        **options,
    )


def _workers(number):
    # pserve has one, and no argument for it.
    return [] if number == 1 else [f"--workers={number}"]


def clean_environment():
    """Return this process's environment without what would configure a service."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(
            ("AUTH_", "AUTHSERVICE_", "OUTGOING_", "PROVIDER_", "BRANDING_", "COV_")
        )
    }


@pytest.fixture
def stopped_in_the_end():
    """Take what was started; all of it is stopped, however the test ends."""
    with ExitStack() as stack:

        def take(process):
            stack.callback(process.stop)
            return process

        yield take
