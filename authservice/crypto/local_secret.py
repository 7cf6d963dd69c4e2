"""The secret of local mode: made at the first start and stored next to the database."""

import secrets
from pathlib import Path

from authservice.crypto import private_files

_LENGTH = 32


def secret_file(database_file: str) -> Path:
    """Return where the secret for a database file is kept, whether or not it is there."""
    return Path(f"{database_file}.secret")


def local_secret(database_file: str) -> bytes:
    """Return the secret kept beside a database file, making it if there is none."""
    return private_files.keep(secret_file(database_file), secrets.token_bytes(_LENGTH))
