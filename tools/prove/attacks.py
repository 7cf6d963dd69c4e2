"""The attacks of docs/evidence/attacks.md, made by the tests that are marked with them."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

from tools.bench.service.checkouts import here
from tools.prove.outcome import Extent, Outcome

_BRIEF = ("tests/attacks/test_cookie_tossing.py",)
# The second engine's turn comes with the long setting.
_ON_SQLITE = ("-k", "not postgresql")


def make(extent: Extent) -> Outcome:
    """Run the tests, in the long setting on both engines."""
    return _run(_BRIEF if extent == "brief" else ("tests",), () if extent == "long" else _ON_SQLITE)


def _run(tests: Sequence[str], options: Sequence[str]) -> Outcome:
    """Run those of some tests that make an attack; each failure is a loss."""
    with tempfile.TemporaryDirectory(prefix="prove-") as folder:
        report = Path(folder) / "report.xml"
        done = subprocess.run(
            [
                *(sys.executable, "-m", "pytest", *tests, "-m", "attack", "-q"),
                *("--numprocesses=2", "--dist=loadfile", f"--junitxml={report}"),
                *options,
            ],
            cwd=here().folder,
            env=os.environ | {"PYTHONPATH": str(here().folder)},
            capture_output=True,
            text=True,
            check=False,
        )
        return judged(done.returncode, done.stdout, report)


def judged(status: int, output: str, report: Path) -> Outcome:
    """Return what came of a run of pytest, which writes its report in JUnit's format."""
    # It ends with 1 when a test has failed, and with more when it could not do its work.
    if status > 1:
        return Outcome("attacks", [], [f"the tests did not run: {output[-2000:]}"])
    # The report is our own.
    cases = list(ET.parse(report).iter("testcase"))  # noqa: S314
    lost = [
        f"{case.get('classname')}::{case.get('name')} failed"
        for case in cases
        if case.find("failure") is not None or case.find("error") is not None
    ]
    skipped = sum(case.find("skipped") is not None for case in cases)
    figures = [("tests of attacks", len(cases) - skipped), ("left out", skipped)]
    return Outcome("attacks", figures, lost)
