"""``authservice local`` in processes of its own."""

import json
import os
import signal
import subprocess

import requests

from tests.helpers.processes import SCRIPTS, clean_environment

TEMPORARY = ("--port", "0", "--database", ":temporary:", "--print-json")


class LocalCommand:
    """One that has printed where it is; ``environ`` is what its user has exported.

    ``meanwhile`` is called with it while it starts.
    """

    def __init__(self, folder, *arguments, meanwhile=None, **environ):
        self.temporary = folder / "temporary"
        self.temporary.mkdir(exist_ok=True)
        own = {"TMPDIR": str(self.temporary), "XDG_CACHE_HOME": str(folder / "cache")}
        self._process = subprocess.Popen(
            [SCRIPTS / "authservice", "local", *(arguments or TEMPORARY)],
            cwd=folder,
            env=clean_environment() | own | environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        if meanwhile is not None:
            meanwhile(self)
        self.line = self._process.stdout.readline()
        told = json.loads(self.line or "{}")
        self.url, self.control_token = told.get("url"), told.get("control_token")

    @property
    def control(self):
        """Return the headers with which a program controls it."""
        return {"Authorization": f"Bearer {self.control_token}"}

    def get(self, path, **options):
        """Return an answer of any status."""
        return requests.get(f"{self.url}{path}", timeout=20, **options)

    def files(self):
        """Return the names of what lies in its temporary folders now."""
        return sorted(file for _, _, found in os.walk(self.temporary) for file in found)

    def stop(self, how=signal.SIGTERM):
        """End it; return its status, what it printed after the first line, and what it logged."""
        self.tell(how)
        return self.ended()

    def tell(self, how):
        """Send it a signal."""
        self._process.send_signal(how)

    def ended(self):
        """Return what ``stop`` does, when it ends by itself."""
        printed, logged = self._process.communicate(timeout=30)
        return self._process.returncode, printed, logged
