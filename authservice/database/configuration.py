"""From ini file and environment to what commands work with: the database, the secret."""

import os
from collections.abc import Mapping
from pathlib import Path

from authservice.crypto.private_files import make_folder
from authservice.crypto.server_secret import ServerSecret, local_secret, secret_file
from authservice.database.database import Database
from authservice.settings import (
    Problem,
    SettingsError,
    ini_file,
    load_database_settings,
    load_server_secrets,
)


def read_ini(path: str) -> Mapping[str, str]:
    """Return the application's section of an ini file; raises OSError and IniFileError."""
    return ini_file.section(path, "app:main")


def read_server(path: str, name: str = "main") -> Mapping[str, str]:
    """Return a server's section of an ini file, empty where there is none; raises as above."""
    return ini_file.section(path, f"server:{name}")


def open_database(ini_path: str | None, *, create_folder: bool = False) -> Database:
    """Return the database that the service would use with this ini file.

    Neither AUTH_SECRET nor a provider's secret is read. Raises SettingsError, IniFileError and
    OSError.
    """
    ini = read_ini(ini_path) if ini_path else {}
    url, synchronous = load_database_settings(ini, os.environ)
    database = Database(url, synchronous=synchronous)
    if create_folder and database.is_sqlite:
        make_folder(Path(str(database.url.database)).parent)
    return database


def existing_secret(database: Database) -> ServerSecret:
    """Return the secret that the service runs with on this database; none is ever made here.

    Raises SettingsError when the environment has none and local mode has kept none.
    """
    current, previous = load_server_secrets(os.environ)
    if current is not None:
        return ServerSecret(current, previous)
    file = str(database.url.database)
    if database.is_sqlite and secret_file(file).is_file():
        return ServerSecret(local_secret(file))
    problem = Problem("AUTH_SECRET", "not set; run this with the environment of the service")
    raise SettingsError([problem])
