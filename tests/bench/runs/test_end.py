import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.processes import ROOT, clean_environment


def children(pid):
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_run_that_is_ended_stops_its_servers_and_removes_its_databases(how, tmp_path):
    command = ["--only", "health", "--seconds", "60", "--synchronous", "NORMAL"]
    with subprocess.Popen(
        # What was started in the background has been told to ignore SIGINT, and passes that on.
        ["env", "--default-signal=INT", sys.executable, "-m", "tools.bench", *command],
        cwd=ROOT,
        env=clean_environment() | {"PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)},
        stderr=subprocess.PIPE,
        text=True,
    ) as run:
        assert any("health, NORMAL" in line for line in run.stderr)
        servers = children(run.pid)
        assert servers

        run.send_signal(how)

        assert run.wait() == 128 + how
    assert [pid for pid in servers if Path(f"/proc/{pid}").exists()] == []
    assert list(tmp_path.iterdir()) == []
