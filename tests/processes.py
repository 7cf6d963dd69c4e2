"""Real processes for tests: started on free loopback ports, watched until ready, stopped."""

import errno
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

from tests.engines import migrate

ROOT = Path(__file__).parent.parent
SCRIPTS = Path(sys.executable).parent


def free_port():
    """Return a port that nobody listens on at the moment, at either address of this machine."""
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
            if not _is_taken_on_ipv6(port):
                return port


def _is_taken_on_ipv6(port):
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", port))
    except OSError as error:
        # Else the machine has no such address.
        return error.errno == errno.EADDRINUSE
    return False


class Process:
    """A program of the test, ready once it has written a certain text, as often as it should."""

    def __init__(self, command, *, ready, times=1, env=None, cwd=ROOT, **owner):
        self.output = []
        self._process = subprocess.Popen(
            [str(part) for part in command],
            cwd=cwd,
            env=clean_environment() | {"PYTHONUNBUFFERED": "1"} | (env or {}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            **owner,
        )
        self._ready = threading.Event()
        self._reader = threading.Thread(target=self._read, args=[ready, times], daemon=True)
        self._reader.start()
        self._ready.wait(60)
        if not self._is_ready(ready, times):
            self.stop()
            raise AssertionError("".join(self.output))

    @property
    def pid(self):
        return self._process.pid

    def stop(self, how=signal.SIGTERM):
        """End the program and return its exit status."""
        if self._process.poll() is None:
            self._process.send_signal(how)
        return self.wait()

    def wait(self):
        """Return the exit status of a program that ends by itself within 15 seconds."""
        try:
            status = self._process.wait(15)
        except subprocess.TimeoutExpired:
            self._process.kill()
            status = self._process.wait()
        self._reader.join()
        self._process.stdout.close()
        return status

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

    def command(self, *arguments):
        """Run a console script against this service's database and return what it prints."""
        return subprocess.run(
            [SCRIPTS / arguments[0], *arguments[1:]],
            cwd=ROOT,
            env=clean_environment() | self.env,
            check=True,
            capture_output=True,
            text=True,
        ).stdout


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
