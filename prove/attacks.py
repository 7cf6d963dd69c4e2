"""The attacks of docs/security.md, made by the tests that are marked with them."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree as ET

from bench.checkouts import here
from prove.outcome import Extent, Outcome

# Without a browser, proxies and servers of their own, which the tests of ./run test have.
_BRIEF = ("tests/attacks", "tests/unit")


def make(extent: Extent) -> Outcome:
    """Run the tests; all of them whatever is wanted, unless it is the brief setting."""
    with tempfile.TemporaryDirectory(prefix="prove-") as folder:
        report = Path(folder) / "report.xml"
        selection = _BRIEF if extent == "brief" else ("tests",)
        done = subprocess.run(
            [
                *(sys.executable, "-m", "pytest", *selection, "-m", "attack", "-q"),
                *("--numprocesses=2", "--dist=loadfile", f"--junitxml={report}"),
            ],
            cwd=here().folder,
            env=os.environ | {"PYTHONPATH": str(here().folder)},
            capture_output=True,
            text=True,
            check=False,
        )
        if not report.exists():
            return Outcome("attacks", [], [f"the tests did not run: {done.stdout[-2000:]}"])
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
