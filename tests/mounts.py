"""A real mount of a network file system, whose server has gone away."""

import ctypes
import os
from contextlib import contextmanager

import pytest

_DETACH = 2


@contextmanager
def lost_sshfs(folder):
    """Mount what the kernel takes for sshfs, where that is allowed."""
    library = ctypes.CDLL(None, use_errno=True)
    target = os.fsencode(folder)
    try:
        device = os.open("/dev/fuse", os.O_RDWR)
    except OSError as error:
        pytest.skip(f"no file system may be mounted here: {error}")
    options = f"fd={device},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()}"
    failed = library.mount(b"server:/export", target, b"fuse.sshfs", 0, options.encode())
    # Nobody answers any more, so nobody waits.
    os.close(device)
    if failed:
        pytest.skip(f"no file system may be mounted here: {os.strerror(ctypes.get_errno())}")
    try:
        yield folder
    finally:
        assert library.umount2(target, _DETACH) == 0
