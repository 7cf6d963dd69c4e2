"""Being a user of the machine who is not root, as services are."""

import os
from contextlib import contextmanager

NOBODY = 65534


@contextmanager
def somebody_else(machine):
    """Own the machine's files and be nobody, where the tests run as root; else stay who we are."""
    if os.geteuid() != 0:
        yield
        return
    machine.ini_file.touch()
    for path in (machine.folder, machine.ini_file, machine.data, machine.database_file):
        os.chown(path, NOBODY, NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
