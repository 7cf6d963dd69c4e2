"""``./run prove`` once: it starts the service, kills its processes under load, and audits."""

import re
import subprocess
import sys

from tests.helpers.processes import ROOT, clean_environment


def test_processes_that_are_killed_lose_nothing_that_was_acknowledged():
    done = subprocess.run(
        [sys.executable, "-m", "tools.prove", "--brief", "kills"],
        cwd=ROOT,
        env=clean_environment() | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert " 2 kills, " in done.stdout
    assert "; lost: nothing" in done.stdout
    for what in ("refreshes", "looked at in the end"):
        assert re.search(rf" [1-9][\d,]* {what}", done.stdout)
