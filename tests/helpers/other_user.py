"""Users who are not root, as services are: modes of files count for them, and ports are closed."""

import ctypes
from contextlib import contextmanager

NOBODY = 65534
# Of capset(2) and capabilities(7).
_VERSION_3 = 0x20080522
_MAY_READ_EVERYTHING = 1 << 2


@contextmanager
def without_privileges():
    """Take from this thread, and from those that it starts, what root may do beyond its own files.

    It may read what it could before: another user could not enter a checkout in a private folder.
    """
    library = ctypes.CDLL(None)
    header = (ctypes.c_uint32 * 2)(_VERSION_3, 0)
    # Twice: what is in force, what may be, and what programs inherit.
    held = (ctypes.c_uint32 * 6)()
    assert library.capget(header, held) == 0
    left = (ctypes.c_uint32 * 6)(*held)
    left[0], left[3] = held[1] & _MAY_READ_EVERYTHING, 0
    assert library.capset(header, left) == 0
    try:
        yield
    finally:
        assert library.capset(header, held) == 0
