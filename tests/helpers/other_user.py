"""Being a user of the machine who is not root, as services are."""

import os
from contextlib import contextmanager

NOBODY = 65534


@contextmanager
def owning(*paths):
    """Own these files and be the user nobody, where the tests run as root; else stay who we are."""
    if os.geteuid() != 0:
        yield
        return
    for path in paths:
        os.chown(path, NOBODY, NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def another_user(machine):
    """Be the owner of a machine's files, who is not root."""
    machine.ini_file.touch()
    return owning(machine.folder, machine.ini_file, machine.data, machine.database_file)
