"""Ini files, wherever they lie: read as pserve reads them, and refused in one line."""

import configparser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import plaster


class IniFileError(ValueError):
    """An ini file cannot be used; its text says why, in one line."""


def loader(path: str) -> Any:  # noqa: ANN401  (plaster has no types)
    """Return what reads a file; raises FileNotFoundError and IniFileError."""
    file = Path(path)
    if not file.is_file():
        message = f"there is no file {path}"
        raise FileNotFoundError(message)
    if "%" in str(file.absolute()):
        # PasteDeploy takes it for the beginning of a variable, and cannot be told otherwise.
        message = f"{file.absolute()} has a % in its path, where no ini file can be read: rename it"
        raise IniFileError(message)
    # As parts: in one text a # would begin the name of a section. With the package that reads it:
    # else plaster reads the description of every installed one, 0.1 s where there are many.
    url = plaster.PlasterURL("plaster_pastedeploy+file+ini", path=path)
    return plaster.get_loader(url, protocols=["wsgi"])


def section(path: str, name: str, variables: Mapping[str, str] | None = None) -> Mapping[str, str]:
    """Return a section of a file, empty where there is none; raises as ``loader`` does."""
    try:
        settings: Mapping[str, str] = loader(path).get_settings(name, dict(variables or {}))
    except configparser.Error as error:
        # Further lines show the text around it, in which there may be a secret.
        raise IniFileError(f"{path}: {str(error).partition(chr(10))[0]}") from None
    return settings
