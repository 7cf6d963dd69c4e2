"""The file system that a database file lies on: over a network, SQLite's locks do not hold.

SQLite's write-ahead log needs memory that all processes share, and so one machine.
"""

import os
import re
from dataclasses import dataclass
from pathlib import Path

# As mountinfo names them; those that run in user space are called "fuse.NAME" there.
_OVER_A_NETWORK = re.compile(
    r"(fuse\.)?("
    r"9p|afs|cifs|coda|davfs|ncpfs|nfs4?|smb[23]|smbfs|curlftpfs|rclone|sshfs"  # servers
    r"|prl_fs|vboxsf|vmhgfs(-fuse)?"  # hosts of virtual machines
    r"|blobfuse2?|gcsfuse|geesefs|goofys|mountpoint-s3|s3fs"  # object stores
    r"|beegfs|ceph(-fuse)?|gfs2|glusterfs|gpfs|juicefs|lustre|moosefs|ocfs2|orangefs|pvfs2"
    r")"
)


@dataclass(frozen=True, slots=True)
class _Mount:
    id: str
    parent: str
    point: str
    type: str


def network_file_system(file: str) -> str | None:
    """Return the type of the network file system below a file; None for one of this machine.

    One that cannot be known counts as one of this machine: there is no /proc, or the process has
    another root than the mounts that it sees.
    """
    try:
        mountinfo = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    kind = type_below(os.path.realpath(file), mountinfo)
    return kind if kind is not None and _OVER_A_NETWORK.fullmatch(kind) else None


def type_below(path: str, mountinfo: str) -> str | None:
    """Return the type of the file system below a real path, as /proc/PID/mountinfo says it.

    None where the table leaves it out: after chroot it lacks what the new root lies on.
    """
    mounts = [_parsed(line) for line in mountinfo.splitlines()]
    ids = {mount.id for mount in mounts}
    on_path = [mount for mount in mounts if _is_below(path, mount.point)]
    topmost = None
    # As the kernel walks: what is mounted nearer to the root hides what was mounted below it.
    here = [mount for mount in on_path if mount.parent not in ids]
    while here:
        topmost = min(here, key=lambda mount: len(mount.point))
        here = [mount for mount in on_path if mount.parent == topmost.id]
    return None if topmost is None else topmost.type


def _parsed(line: str) -> _Mount:
    before, _, after = line.partition(" - ")
    mount_id, parent, _device, _root, point, *_ = before.split(" ")
    unescaped = re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), point)
    return _Mount(mount_id, parent, unescaped, after.split(" ")[0])


def _is_below(path: str, point: str) -> bool:
    return path == point or path.startswith(f"{point.rstrip('/')}/")
