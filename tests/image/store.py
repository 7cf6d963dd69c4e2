"""Images and containers of this checkout, in a store apart from that of the machine."""

import subprocess
import zlib

from tests.helpers.processes import ROOT

FOLDER = ROOT / "build" / "image"
LOCAL = "localhost/authservice:local"
PRODUCTION = "localhost/authservice:production"

# podman refuses a longer path than 50 characters here, and a checkout's may be.
_RUN = f"/run/authservice-image-{zlib.crc32(str(ROOT).encode()):08x}"
_FILE_SYSTEM = ["stat", "--file-system", "--format=%T", ROOT]
# An overlay cannot lie on another one, as in a container; copies take longer and far more room.
_found = subprocess.run(_FILE_SYSTEM, check=False, capture_output=True, text=True)
LAYERED = _found.stdout.strip() != "overlayfs"
_DRIVER = "overlay" if LAYERED else "vfs"
_STORE = ["--root", str(FOLDER / "store"), "--runroot", _RUN, "--storage-driver", _DRIVER]
BUILDAH = ["buildah", *_STORE]
PODMAN = ["podman", *_STORE, "--cgroup-manager", "cgroupfs", "--runtime", "runc"]


def podman(*arguments, check=True):
    """Run a podman command; return the completed process, its output as text."""
    return subprocess.run(
        [*PODMAN, *map(str, arguments)], check=check, capture_output=True, text=True, timeout=60
    )
