"""Tests that fail in a parallel run and pass alone: the run is green, and the report names them.

A busy machine keeps nothing from being merged this way, and hides nothing either. What looks for
rare faults gets no second try, nor does what ended its process or failed while it tidied up.
"""

import os
import signal
import subprocess
import sys

import pytest

_AT_MOST = 3
_SECONDS = 300
_LOOK_FOR_RARE_FAULTS = {"attacks", "races", "stateful"}


@pytest.hookimpl(wrapper=True)
def pytest_runtestloop(session):
    """Run what failed once more, when all others are done."""
    result = yield
    # Only the process that deals out the tests has it.
    if session.config.pluginmanager.hasplugin("dsession"):
        stats = session.config.pluginmanager.getplugin("terminalreporter").stats
        failed = [*stats.get("failed", []), *stats.get("error", [])]
        names = {report.nodeid for report in failed}
        final = {report.nodeid for report in failed if not _may_run_again(report)}
        if len(names) <= _AT_MOST:
            folder = session.config.rootpath
            passed = {name for name in names - final if _passes_alone(name, folder)}
            session.testsfailed -= _move(passed, stats)
    return result


def pytest_terminal_summary(terminalreporter):
    """Say how each unstable test failed and what it logged, then name them all."""
    reports = terminalreporter.stats.get("unstable", [])
    for report in reports:
        terminalreporter.write_sep("_", report.nodeid)
        terminalreporter.write_line(report.longreprtext)
        for heading, text in report.sections:
            terminalreporter.write_sep("-", heading)
            terminalreporter.write_line(text)
    for name in dict.fromkeys(report.nodeid for report in reports):
        terminalreporter.write_line(f"unstable: {name}")


def _may_run_again(report):
    # Tidying up, a crash of the worker and a file that cannot be collected are other steps.
    if report.when not in {"setup", "call"}:
        return False
    folders = report.nodeid.partition("::")[0].split("/")
    return "attack" not in report.keywords and _LOOK_FOR_RARE_FAULTS.isdisjoint(folders)


def _passes_alone(name, folder):
    # Whatever this run has chosen, the name is of one engine.
    command = [sys.executable, "-m", "pytest", "--numprocesses=0", "--all", name]
    nothing = subprocess.DEVNULL
    with subprocess.Popen(
        command, cwd=folder, process_group=0, stdin=nothing, stdout=nothing, stderr=nothing
    ) as process:
        try:
            return process.wait(_SECONDS) == 0
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return False


def _move(names, stats):
    """Count the tests as unstable, and return how many reports no longer count as failures."""
    moved = []
    for outcome in ("failed", "error"):
        reports = stats.pop(outcome, [])
        moved += [report for report in reports if report.nodeid in names]
        if left := [report for report in reports if report.nodeid not in names]:
            stats[outcome] = left
    if moved:
        stats["unstable"] = moved
    return len(moved)
