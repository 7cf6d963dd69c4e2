"""Which tests reach which line, measured by coverage's contexts in one run of them."""

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree as ET

from coverage import CoverageData

from bench.checkouts import here
from prove.mutants.subjects import ON_SQLITE, TESTS

# Where little is wanted: one module and its tests.
_BRIEF_SOURCE = "authservice/services/redirect_uris.py"
_BRIEF_TESTS = ("tests/unit/services/test_redirect_uris.py",)
# Of the tests that reach a line, those that reach least else of its module.
_AT_MOST = 30


class Reach:
    """What a run of the tests reached."""

    def __init__(self, data: CoverageData, copy: Path, *, failing: set[str], brief: bool) -> None:
        """Take the data of a run in a copy of the checkout, and the tests that failed in it."""
        self._brief = brief
        self._by_line: dict[str, dict[int, set[str]]] = {}
        for file in data.measured_files():
            contexts = data.contexts_by_lineno(file)
            tests = {
                line: {_test(name) for name in names if name} - failing
                for line, names in contexts.items()
            }
            self._by_line[Path(file).relative_to(copy).as_posix()] = tests

    def sources(self, wanted: Iterable[str]) -> list[str]:
        """Return which of the sources are to be changed."""
        return (
            [_BRIEF_SOURCE] if self._brief else [path for path in wanted if path in self._by_line]
        )

    def tests_of(self, path: str, line: int) -> list[str]:
        """Return the tests that reach a line; of one that is read once, those of its module."""
        lines = self._by_line[path]
        weights: dict[str, int] = {}
        for tests in lines.values():
            for test in tests:
                weights[test] = weights.get(test, 0) + 1
        reaching = lines.get(line) or set(weights)
        return sorted(reaching, key=lambda test: (weights[test], test))[:_AT_MOST]


def measured(copy: Path, *, brief: bool) -> Reach:
    """Run the tests in a copy and return what they reached; raises RuntimeError if they do not run.

    A test that fails without any mutant would seem to catch each one, so it is left out.
    """
    file, report = copy / "reach.coverage", copy / "reach.xml"
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "--numprocesses=2", "--dist=loadfile"),
            *("--cov=authservice", "--cov-context=test", "--cov-report=", f"--junitxml={report}"),
            *("--cov-fail-under=0", *ON_SQLITE, *(_BRIEF_TESTS if brief else TESTS)),
        ],
        cwd=copy,
        env=here().environment() | {"PYTHONPATH": str(copy), "COVERAGE_FILE": str(file)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    # It ends with 1 when a test has failed, and with more when it could not do its work.
    if done.returncode > 1:
        raise RuntimeError(f"the tests do not run:\n{done.stdout[-3000:]}")
    data = CoverageData(str(file))
    data.read()
    return Reach(data, copy, failing=_failing(report), brief=brief)


def _failing(report: Path) -> set[str]:
    # The report is our own.
    cases = ET.parse(report).iter("testcase")  # noqa: S314
    return {
        f"{case.get('classname', '').replace('.', '/')}.py::{_test(case.get('name', ''))}"
        for case in cases
        if case.find("failure") is not None or case.find("error") is not None
    }


def _test(context: str) -> str:
    # path::function[parameters]|run
    return context.partition("|")[0].partition("[")[0]
