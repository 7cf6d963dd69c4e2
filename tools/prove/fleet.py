"""Several server processes on one database, each of which can be killed and started again."""

import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tools.bench.service.deployment import Deployment
from tools.bench.service.servers import first_answer, stop


class Fleet:
    """The processes, by the ports on which they listen."""

    def __init__(
        self,
        deployment: Deployment,
        ports: list[int],
        log: Path,
        through: Sequence[str | Path] = (),
    ) -> None:
        """Start a process for each port, perhaps through a program; ``stop`` ends them."""
        self.ports = ports
        self._deployment = deployment
        self._log = log
        self._through = through
        self._processes = {port: self._start(port) for port in ports}
        for port in ports:
            self.wait_for(port)

    def pid(self, port: int) -> int:
        """Return the process that listens on a port."""
        return self._processes[port].pid

    def kill(self, port: int) -> None:
        """End a process at this very instant, whatever it is doing."""
        self._processes[port].send_signal(signal.SIGKILL)
        self._processes[port].wait()

    def restart(self, port: int) -> float:
        """Start a killed process again; return the seconds until it answers."""
        began = time.monotonic()
        self._processes[port] = self._start(port)
        self.wait_for(port)
        return time.monotonic() - began

    def wait_for(self, port: int) -> None:
        """Return as soon as the process answers; raises ServerError when it has ended."""
        first_answer(self._processes[port], port, self._log)

    def stop(self) -> None:
        """End all processes in order."""
        stop(self._processes.values())

    def _start(self, port: int) -> subprocess.Popen[bytes]:
        checkout = self._deployment.variant.checkout
        with self._log.open("ab") as log:
            return subprocess.Popen(
                [*self._through, checkout.program("pserve"), "local.ini", f"listen_port={port}"],
                cwd=checkout.folder,
                env=self._deployment.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )


@contextmanager
def serving(
    deployment: Deployment, ports: list[int], log: Path, through: Sequence[str | Path] = ()
) -> Iterator[Fleet]:
    """Give a fleet that answers; it is stopped at the end."""
    fleet = Fleet(deployment, ports, log, through)
    try:
        yield fleet
    finally:
        fleet.stop()
