"""Which ini file a command reads: ``--config``, else AUTHSERVICE_CONFIG, else that of local mode.

Where a configured production.ini lies too, ./local.ini is taken for registering a client only.
"""

import argparse
import configparser
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from authservice.cli.arguments import Once, Switch, misused
from authservice.database.configuration import read_ini

VARIABLE = "AUTHSERVICE_CONFIG"

_LOCAL = "local.ini"
_PRODUCTION = "production.ini"
# What the shipped production.ini says before an operator configures it.
_SHIPPED = {"auth.url": "https://auth.example.com", "provider.client_id": "set-me"}


@dataclass(frozen=True, slots=True)
class IniFile:
    """An ini file that can be read, or none where the environment names the database."""

    path: str | None
    remark: str = ""
    """What the first line says of AUTHSERVICE_CONFIG where it names another file."""

    def settings(self) -> Mapping[str, str]:
        """Return the application's section; without a file it is empty."""
        return {} if self.path is None else read_ini(self.path)


def add_argument(parser: argparse.ArgumentParser, *, otherwise: str = _LOCAL) -> None:
    """Declare the flag that names the file; ``otherwise`` is the one of the current folder."""
    help_text = f"the ini file (that of {VARIABLE}, else ./{otherwise})"
    parser.add_argument("--config", action=Once, metavar="INI", help=help_text)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flag that names the file, and the one that makes the command print JSON."""
    add_argument(parser)
    parser.add_argument("--json", action=Switch, help="print JSON")


def named(options: argparse.Namespace) -> IniFile:
    """Return the file that is named, whether it is there or not."""
    variable = os.environ.get(VARIABLE, "").strip() or None
    if options.config and variable and not _same(options.config, variable):
        remark = f" (--config; {VARIABLE} names {variable}, which is not used)"
        return IniFile(options.config, remark)
    return IniFile(options.config or variable)


def chosen(options: argparse.Namespace) -> IniFile:
    """Return the file to read; ends the command with status 2 if there is none."""
    ini = named(options)
    if ini.path is None:
        # Registering a client always uses the local one.
        configured = not getattr(options, "registers", False) and _is_configured(Path(_PRODUCTION))
        if Path(_LOCAL).is_file() and not configured:
            ini = IniFile(_LOCAL)
        elif not os.environ.get("AUTH_DATABASE_URL", "").strip():
            why = f"; a configured {_PRODUCTION} lies here" if configured else ""
            misused(f"which database? Name the ini file with --config or in {VARIABLE}{why}")
    if ini.path is not None:
        _require_readable(ini.path)
    return ini


def _same(one: str, other: str) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def _require_readable(path: str) -> None:
    try:
        section = read_ini(path)
    except FileNotFoundError as error:
        misused(f"{error}; name the ini file with --config or in {VARIABLE}")
    except (OSError, ValueError, LookupError, configparser.Error) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        misused(f"the ini file {path} cannot be read: {reason}")
    if not section:
        misused(f"the ini file {path} has no section [app:main]")


def _is_configured(file: Path) -> bool:
    """Tell whether production.ini has values of its own, or cannot be read."""
    parser = configparser.ConfigParser(interpolation=None)
    try:
        if not parser.read(file, encoding="utf-8"):
            # It does not exist, or this user may not read it: then it is in use.
            return file.exists()
        given = {name: parser.get("app:main", name) for name in _SHIPPED}
    except (OSError, ValueError, configparser.Error):
        return True
    return given != _SHIPPED or bool(os.environ.get("PROVIDER_CLIENT_ID", "").strip())
