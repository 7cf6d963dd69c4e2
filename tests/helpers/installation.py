"""What tests lack is installed when one of them asks for it, as far as ``./run`` may do so.

Only ``./run`` sets the variable: a bare ``pytest`` installs nothing. The test that asks waits
meanwhile, so nothing that has a time limit may have begun.
"""

import functools
import os
import subprocess
from pathlib import Path

_ROOT = Path(__file__).parents[2]


def may_install():
    """Tell whether the tests were started by a task that lets them install what they lack."""
    return os.environ.get("TESTS_INSTALL") == "yes"


@functools.cache
def install(*what):
    """Have ``./run`` install something, once in each process; return how that failed, if it did."""
    done = subprocess.run(
        ["./run", "install", *what],
        cwd=_ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode == 0:
        return None
    return f"./run install {' '.join(what)} failed: {' '.join(done.stdout.split()[-60:])}"
