"""The secret of local mode: made at the first start and kept beside the database.

Several processes may start at once; the file appears complete or not at all, and the first one's
stays.
"""

import os
import secrets
from pathlib import Path

from authservice.private_files import make_file

_LENGTH = 32


def secret_file(database_file: str) -> Path:
    """Return where the secret for a database file is kept, whether or not it is there."""
    return Path(f"{database_file}.secret")


def local_secret(database_file: str) -> bytes:
    """Return the secret kept beside a database file, making it if there is none."""
    kept = secret_file(database_file)
    if not kept.exists():
        draft = Path(f"{kept}.{os.getpid()}.{secrets.token_hex(4)}")
        with os.fdopen(make_file(draft), "wb") as file:
            file.write(secrets.token_bytes(_LENGTH))
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(draft, kept)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return kept.read_bytes()
