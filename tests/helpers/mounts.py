"""Real mounts: a disk that is small, and a network file system whose server has gone away."""

import ctypes
import os
from contextlib import contextmanager

from tests.helpers.parts import machine_lacks
from tools.prove.faults import disk

_DETACH = 2
MOUNTING = "the right to mount a file system"


@contextmanager
def small_disk(folder, mebibytes):
    """Mount a file system of so many MiB, where that is allowed."""
    folder.mkdir()
    with disk.small(folder, mebibytes) as mounted:
        if not mounted:
            machine_lacks(MOUNTING)
        folder.chmod(0o700)
        yield folder


@contextmanager
def lost_sshfs(folder):
    """Mount what the kernel takes for sshfs, where that is allowed."""
    library = ctypes.CDLL(None, use_errno=True)
    target = os.fsencode(folder)
    try:
        device = os.open("/dev/fuse", os.O_RDWR)
    except OSError:
        machine_lacks(MOUNTING)
    options = f"fd={device},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()}"
    failed = library.mount(b"server:/export", target, b"fuse.sshfs", 0, options.encode())
    # No program answers any more, so none waits.
    os.close(device)
    if failed:
        machine_lacks(MOUNTING)
    try:
        yield folder
    finally:
        assert library.umount2(target, _DETACH) == 0
