"""Several processes of the service on one database, set going together."""

import json
import subprocess
import sys

from tests.helpers.processes import ROOT, clean_environment
from tests.helpers.production import ORIGIN

NUMBER = 4
TWICE_AS_MANY = 8


def arrival(browser, path):
    """Return the request with which a browser comes back, with the cookies that it has now."""
    environ = {"REMOTE_ADDR": browser.extra_environ["REMOTE_ADDR"]}
    headers = {"Cookie": browser.cookie_header()}
    return {"path": path, "origin": ORIGIN, "environ": environ, "headers": headers}


class Processes:
    """Four workers, or more; what is sent is dealt out among them and answered by all at once.

    One test after the other may have them: to start them takes longer than most tests.
    """

    def __init__(self, number=NUMBER):
        self.number = number
        self._environ = {}
        self._workers = [
            subprocess.Popen(
                [sys.executable, "-m", "tests.races.worker"],
                cwd=ROOT,
                env=clean_environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for _ in range(number)
        ]
        assert self._hear() == ["ready"] * self.number

    def use(self, environ):
        """Let every process build its applications in such an environment."""
        self._environ = environ

    def build(self, settings):
        """Let every process build the application at the same moment."""
        for worker in self._workers:
            self._tell(worker, {"settings": settings, "environ": self._environ})
        assert self._hear() == ["built"] * self.number

    def end(self):
        """Let every process end its application, and be as it was at its start."""
        for worker in self._workers:
            self._tell(worker, None)
        assert self._hear() == ["ended"] * self.number

    def set_clocks_forward(self, duration):
        """Let the clock of every process run ahead by so much more."""
        for worker in self._workers:
            self._tell(worker, int(duration.total_seconds()))
        assert self._hear() == ["set"] * self.number

    def send(self, requests):
        """Send requests through all processes at once and return the answers."""
        for index, worker in enumerate(self._workers):
            self._tell(worker, requests[index :: self.number])
        return [answer for answers in self._hear() for answer in answers]

    def close(self):
        for worker in self._workers:
            worker.stdin.close()
        for worker in self._workers:
            assert worker.wait(timeout=30) == 0
            worker.stdout.close()

    def kill(self):
        """End processes that answer no more, or no longer what was requested."""
        for worker in self._workers:
            worker.kill()
            worker.communicate()

    @staticmethod
    def _tell(worker, value):
        worker.stdin.write(json.dumps(value) + "\n")
        worker.stdin.flush()

    def _hear(self):
        return [json.loads(worker.stdout.readline()) for worker in self._workers]
