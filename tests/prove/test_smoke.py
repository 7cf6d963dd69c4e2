"""``./run prove`` once: it starts the service, kills its processes under load, and audits."""

import re
import sys

from tests.helpers.processes import ROOT, finished


def test_processes_that_are_killed_lose_nothing_that_was_acknowledged():
    done = finished(
        [sys.executable, "-m", "tools.prove", "--brief", "kills"], env={"PYTHONPATH": str(ROOT)}
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert " 2 kills, " in done.stdout
    assert "; lost: nothing" in done.stdout
    for what in ("refreshes", "looked at in the end"):
        assert re.search(rf" [1-9][\d,]* {what}", done.stdout)
