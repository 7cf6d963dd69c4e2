"""What tests need beside Python: it is there, or the tests that need it are left out.

A person is told which tests did not run and what to install. In CI a part that can be installed
is there, or the test fails. What the machine itself does not have or allow, nobody can install:
there too the test is left out, and the last lines of the run say for want of what.
"""

import os
import shutil
from collections import Counter
from pathlib import Path

import pytest

_PACKAGES = {
    "apache2": "apache2-bin",
    "chromium": "chromium",
    "firefox-esr": "firefox-esr",
    "git": "git",
    "initdb": "postgresql",
    "nginx": "nginx-light",
    "postgres": "postgresql",
    "redis-server": "redis-server",
    "systemd-analyze": "systemd",
}


def program(name):
    """Return the path of a program, or leave the test out."""
    found = shutil.which(name, path=":".join([os.environ.get("PATH", ""), *_folders()]))
    if found is not None:
        return found
    return missing(name, _install(_PACKAGES[name]))


def apache_module(name):
    """Return the file of a module of Apache's that Debian packages, or leave the test out."""
    file = Path(f"/usr/lib/apache2/modules/mod_{name}.so")
    if file.is_file():
        return file
    return missing(file.name, _install(f"libapache2-mod-{name.replace('_', '-')}"))


def faketime():
    """Return the library with which a process goes by another clock, or leave the test out."""
    found = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
    return found[0] if found else missing("libfaketimeMT.so.1", _install("libfaketime"))


def missing(part, mend):
    """Leave the test out for want of what can be had, and in CI let it fail."""
    message = f"{part} is missing; {mend}"
    if os.environ.get("CI") == "true":
        pytest.fail(message)
    pytest.skip(message)


_WANT = "this machine lacks "


def machine_lacks(what):
    """Leave the test out for want of what nobody can install."""
    pytest.skip(f"{_WANT}{what}")


def as_root():
    """Leave the test out unless it runs as root, who may give files away."""
    if os.geteuid() != 0:
        machine_lacks("root, who may give files away")


def what_the_machine_lacks(reports):
    """Return a line for each thing for want of which tests were left out."""
    reasons = [report.longrepr[2] for report in reports if isinstance(report.longrepr, tuple)]
    wants = Counter(reason.partition(_WANT)[2] for reason in reasons if _WANT in reason)
    return [f"{number} left out: {_WANT}{what}" for what, number in sorted(wants.items())]


def _install(package):
    return f"as root: apt-get install {package}"


def _folders():
    """Return where Debian keeps servers, to which ordinary users' PATH does not lead."""
    postgresql = Path("/usr/lib/postgresql").glob("*/bin")
    newest_first = sorted(postgresql, key=lambda folder: int(folder.parent.name), reverse=True)
    return ["/usr/sbin", "/usr/bin", *map(str, newest_first)]
