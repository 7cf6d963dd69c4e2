"""The token that the control API asks for: given by the environment, or made at the first start."""

from pathlib import Path

from authservice.crypto import private_files
from authservice.crypto.secret_values import random_token
from authservice.database.database import Database
from authservice.settings.auth_settings import LocalModeSettings

_NAME = "control-token"


def of(settings: LocalModeSettings, database: Database) -> str | None:
    """Return the token; None if none is set and the database is no file beside which one is kept.

    Raises SystemExit if the file cannot be written or read.
    """
    if settings.control_token is not None:
        return settings.control_token
    if not database.is_sqlite:
        return None
    file = Path(str(database.url.database)).with_name(_NAME)
    try:
        return private_files.keep(file, random_token().encode()).decode("ascii").strip()
    except (OSError, ValueError) as error:
        raise SystemExit(f"authservice: the control token cannot be kept: {error}") from None
