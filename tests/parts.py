"""Programs that tests need beside Python: found, or the tests that need them are left out.

A person is told which tests did not run and what to install. In CI a missing part is a failure.
"""

import os
import shutil
from pathlib import Path

import pytest

_PACKAGES = {
    "apache2": "apache2-bin",
    "chromium": "chromium",
    "git": "git",
    "initdb": "postgresql",
    "nginx": "nginx-light",
    "postgres": "postgresql",
    "redis-server": "redis-server",
}


def program(name):
    """Return the path of a program, or leave the test out."""
    found = shutil.which(name, path=":".join([os.environ.get("PATH", ""), *_folders()]))
    if found is not None:
        return found
    return _missing(name, _PACKAGES[name])


def apache_module(name):
    """Return the file of a module of Apache's that Debian packages, or leave the test out."""
    file = Path(f"/usr/lib/apache2/modules/mod_{name}.so")
    if file.is_file():
        return file
    return _missing(file.name, f"libapache2-mod-{name.replace('_', '-')}")


def faketime():
    """Return the library with which a process goes by another clock, or leave the test out."""
    found = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
    return found[0] if found else _missing("libfaketimeMT.so.1", "libfaketime")


def _missing(part, package):
    message = f"{part} is missing; as root: apt-get install {package}"
    if os.environ.get("CI") == "true":
        pytest.fail(message)
    pytest.skip(message)


def _folders():
    """Return where Debian keeps servers, to which ordinary users' PATH does not lead."""
    postgresql = Path("/usr/lib/postgresql").glob("*/bin")
    newest_first = sorted(postgresql, key=lambda folder: int(folder.parent.name), reverse=True)
    return ["/usr/sbin", "/usr/bin", *map(str, newest_first)]
