"""The file system below an SQLite database: there, writable, private, and with room to grow."""

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy.engine import make_url

from authservice.database.sqlite.file_system import network_file_system
from authservice.diagnosis.deployment import Deployment
from authservice.diagnosis.finding import Finding, error, skipped, warning

IN_ORDER = "The database's folder is there, on a local disk, writable, private and has room."

NO_FOLDER = error(
    "file.no_folder",
    "The folder of the database does not exist.",
    "Make it for the service's user: install -d -m 700 -o USER FOLDER",
)
OVER_A_NETWORK = error(
    "file.over_a_network",
    "The database is on a network file system, where SQLite's locks do not work.",
    "Put it on a local disk, or use PostgreSQL.",
)
NOT_WRITABLE = error(
    "file.not_writable",
    "This user may not write in the folder of the database; SQLite writes more files there.",
    "Give folder and files to the service's user, and run this command as that user.",
)
READABLE = warning(
    "file.readable",
    "Every user of this machine may read the database, with people's addresses in it.",
    "Close the folder: chmod 700 FOLDER",
)
NO_SPACE = error(
    "file.no_space",
    "The disk of the database is full, so the service cannot sign people in.",
    "Free space on it, or move the database.",
)
LITTLE_SPACE = warning(
    "file.little_space",
    "The disk of the database is nearly full.",
    "Free space on it before it is full, or move the database.",
)
ASKED_AS_ROOT = warning(
    "file.asked_as_root",
    "The check runs as root, who has every right, and the database belongs to another user.",
    "Run it as the service's user: runuser -u USER -- authservice check …",
)

_FULL = 32 * 1024 * 1024
_NEARLY_FULL = 512 * 1024 * 1024


def examine(deployment: Deployment) -> Iterator[Finding]:
    """Yield what is wrong with the folder and the file."""
    url = make_url(deployment.settings.database_url)
    if url.get_backend_name() != "sqlite":
        yield skipped("file", "The database is not a file of this machine.")
        return
    file = Path(url.database or "")
    folder = file.absolute().parent
    if file_system := network_file_system(str(file)):
        yield OVER_A_NETWORK.at(str(folder), found=file_system)
        return
    if not folder.is_dir():
        yield NO_FOLDER.at("auth.database_url", found=str(folder))
        return
    yield from _rights(folder, file)
    free = shutil.disk_usage(folder).free
    if free < _NEARLY_FULL:
        kind = NO_SPACE if free < _FULL else LITTLE_SPACE
        yield kind.at(str(folder), found=f"{free // 1024**2} MiB free")


def _rights(folder: Path, file: Path) -> Iterator[Finding]:
    beside = [file, Path(f"{file}-wal"), Path(f"{file}-shm")]
    there = [path for path in (folder, *beside) if path.exists()]
    for path in there:
        wanted = os.W_OK | (os.X_OK if path == folder else os.R_OK)
        if not os.access(path, wanted, effective_ids=True):
            yield NOT_WRITABLE.at(str(path), found=stat.filemode(path.stat().st_mode))
            return
    owner = folder.stat().st_uid
    if os.geteuid() == 0 and owner != 0:
        yield ASKED_AS_ROOT.at(str(folder), found=f"belongs to user id {owner}")
    if len(there) > 1 and all(_open_to_others(path) for path in there[:2]):
        yield READABLE.at(str(file), found=stat.filemode(file.stat().st_mode))


def _open_to_others(path: Path) -> bool:
    return bool(path.stat().st_mode & (stat.S_IXOTH if path.is_dir() else stat.S_IROTH))
