"""Programs that tests need beside Python: found, or the tests that need them are left out.

A person is told which tests did not run and what to install. In CI a missing part is a failure.
"""

import os
import shutil

import pytest

_PACKAGES = {
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
    message = f"{name} is missing; as root: apt-get install {_PACKAGES[name]}"
    if os.environ.get("CI") == "true":
        pytest.fail(message)
    pytest.skip(message)
