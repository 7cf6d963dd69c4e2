"""What some tests need beside the rest: it is there, or they are left out.

``./run`` installs it before the first test: Python packages and those of npm always, Debian's
packages where root runs the tests. Otherwise a person is told which tests did not run and what to
install. In CI a part that can be installed is there, or the test fails. What the machine itself
does not have or allow cannot be installed: there too the test is left out, and the last lines of
the run say for want of what.
"""

import importlib
import importlib.util
import os
import shutil
from collections import Counter
from pathlib import Path

import pytest

PACKAGES = {
    "apache2": "apache2-bin",
    "caddy": "caddy",
    "chromium-headless-shell": "chromium-headless-shell",
    "curl": "curl",
    "firefox-esr": "firefox-esr",
    "git": "git",
    "initdb": "postgresql",
    "nginx": "nginx-light",
    "openssl": "openssl",
    "postgres": "postgresql",
    "redis-server": "redis-server",
    "systemd-analyze": "systemd",
}
"""Which package of Debian's has a program."""


def program(name, *, otherwise=()):
    """Return the path of a program or of one that does as well, or leave the test out."""
    path = ":".join([os.environ.get("PATH", ""), *_folders()])
    found = (shutil.which(each, path=path) for each in (name, *otherwise))
    return next(filter(None, found), None) or _missing_of_debian(name, PACKAGES[name])


def apache_module(name):
    """Return the file of a module of Apache's that Debian packages, or leave the test out."""
    file = Path(f"/usr/lib/apache2/modules/mod_{name}.so")
    if not file.is_file():
        _missing_of_debian(file.name, f"libapache2-mod-{name.replace('_', '-')}")
    return file


def library(name, lock):
    """Import a module of a library that a lock of its own lists, or leave the test out."""
    if importlib.util.find_spec(name.partition(".")[0]) is None:
        missing(name, f"./run test installs requirements/{lock}.txt")
    return importlib.import_module(name)


def missing(part, remedy):
    """Leave the test out for want of what can be had, and in CI let it fail."""
    message = f"{part} is missing; {remedy}"
    if os.environ.get("CI") == "true":
        pytest.fail(message)
    pytest.skip(message)


_WANT = "this machine lacks "


def machine_lacks(what):
    """Leave the test out for want of what cannot be installed."""
    pytest.skip(f"{_WANT}{what}")


def as_root():
    """Leave the test out unless it runs as root, who may give files away."""
    if os.geteuid() != 0:
        machine_lacks("root, who may give files away")


@pytest.hookimpl(tryfirst=True)
def pytest_report_teststatus(report):
    """Count a row that is left out as left out; pytest hides it with the rows that passed."""
    if isinstance(report, pytest.SubtestReport) and report.skipped:
        return report.outcome, "s", "SKIPPED"
    return None


def pytest_terminal_summary(terminalreporter):
    for line in what_the_machine_lacks(terminalreporter.stats.get("skipped", [])):
        terminalreporter.write_line(line)


def what_the_machine_lacks(reports):
    """Return a line for each thing for want of which tests were left out."""
    reasons = [report.longrepr[2] for report in reports if isinstance(report.longrepr, tuple)]
    wants = Counter(reason.partition(_WANT)[2] for reason in reasons if _WANT in reason)
    return [f"{number} left out: {_WANT}{what}" for what, number in sorted(wants.items())]


def _missing_of_debian(part, package):
    missing(part, f"as root: apt-get install {package}")


def _folders():
    """Return where Debian keeps servers, to which ordinary users' PATH does not lead."""
    postgresql = Path("/usr/lib/postgresql").glob("[1-9][0-9]/bin")
    newest_first = sorted(postgresql, reverse=True)
    return ["/usr/sbin", "/usr/bin", *map(str, newest_first)]
