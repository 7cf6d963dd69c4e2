"""Files and folders for their owner alone, whatever the umask of the process that makes them."""

import os
import secrets
from pathlib import Path

_FOLDER = 0o700
_FILE = 0o600


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it that are not there; what is there keeps its mode."""
    if folder.is_dir():
        return
    make_folder(folder.absolute().parent)
    try:
        folder.mkdir(_FOLDER)
    except FileExistsError:
        if not folder.is_dir():
            raise
    else:
        # A umask can take rights from its owner as well.
        folder.chmod(_FOLDER)


def make_file(file: Path) -> int:
    """Make an empty file and return it open for reading and writing.

    Raises FileExistsError when there is one, no matter whose, and OSError.
    """
    descriptor = os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, _FILE)
    try:
        os.fchmod(descriptor, _FILE)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def keep(file: Path, content: bytes) -> bytes:
    """Return what a file holds, which is the content from now on if there was no file.

    Several processes may keep it at once: the file appears complete or not at all, and the first
    one's stays. Raises OSError.
    """
    if not file.exists():
        draft = Path(f"{file}.{os.getpid()}.{secrets.token_hex(4)}")
        with os.fdopen(make_file(draft), "wb") as opened:
            opened.write(content)
            opened.flush()
            os.fsync(opened.fileno())
        try:
            os.link(draft, file)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return file.read_bytes()
