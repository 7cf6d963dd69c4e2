"""``./run bench`` once, as it is: it starts the service, measures a case, prints and keeps it."""

import re
import sys
from pathlib import Path

from tests.helpers.processes import ROOT, finished
from tools.bench.report import results


def test_a_case_is_measured_printed_and_kept():
    shortest = ["--only", "health", "--synchronous", "NORMAL", "--seconds", "0.5", "--rounds", "1"]

    done = finished([sys.executable, "-m", "tools.bench", *shortest], env={"PYTHONPATH": str(ROOT)})

    assert done.returncode == 0, done.stdout + done.stderr
    kept = Path(re.search(r"^kept in (\S+\.json)$", done.stdout, re.MULTILINE)[1])
    run = results.load(kept)
    kept.unlink()
    (column,) = run.columns
    (only,) = column.rounds
    (measured,) = only.cases.values()
    assert measured.operations > 0
    assert measured.cpu_us > 0
    assert measured.p50_ms <= measured.p95_ms <= measured.p99_ms
    assert only.start_seconds > 0
    assert only.memory_after > 0
    assert f"{measured.cpu_us:,.0f}" in done.stdout
