"""From an ini file to what is built of it: the settings, or only the database."""

import os
from collections.abc import Mapping
from pathlib import Path

import plaster

from authservice.db import Database
from authservice.settings import load_database_settings


def read_ini(path: str) -> Mapping[str, str]:
    """Return the application's section of an ini file; raises OSError when there is none."""
    if not Path(path).is_file():
        message = f"there is no file {path}"
        raise FileNotFoundError(message)
    section: Mapping[str, str] = plaster.get_settings(path, "app:main")
    return section


def read_server(path: str, name: str = "main") -> Mapping[str, str]:
    """Return a server's section of an ini file, empty where there is none."""
    section: Mapping[str, str] = plaster.get_settings(path, f"server:{name}")
    return section


def open_database(ini_path: str | None, *, create_folder: bool = False) -> Database:
    """Return the database that the service would use with this ini file.

    Neither AUTH_SECRET nor a provider's secret is read. Raises SettingsError and OSError.
    """
    ini = read_ini(ini_path) if ini_path else {}
    url, synchronous = load_database_settings(ini, os.environ)
    database = Database(url, synchronous=synchronous)
    if create_folder and database.is_sqlite:
        Path(str(database.url.database)).parent.mkdir(parents=True, exist_ok=True)
    return database
