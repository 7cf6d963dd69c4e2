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
    "nginx": "nginx-light",
    "redis-server": "redis-server",
}


def program(name):
    """Return the path of a program, or leave the test out."""
    # Debian keeps servers where ordinary users' PATH does not lead.
    found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/bin")
    if found is not None:
        return found
    return _missing(name, _PACKAGES[name])


def apache_module(name):
    """Return the file of a module of Apache's that Debian packages, or leave the test out."""
    file = Path(f"/usr/lib/apache2/modules/mod_{name}.so")
    if file.is_file():
        return file
    return _missing(file.name, f"libapache2-mod-{name.replace('_', '-')}")


def _missing(part, package):
    message = f"{part} is missing; as root: apt-get install {package}"
    if os.environ.get("CI") == "true":
        pytest.fail(message)
    pytest.skip(message)
