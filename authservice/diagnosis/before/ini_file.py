"""The ini file: it is there, can be read, and no other user may change it."""

import configparser
import stat
from collections.abc import Iterator
from pathlib import Path

from authservice.diagnosis.deployment import Written
from authservice.diagnosis.finding import Finding, error

IN_ORDER = "The ini file can be read, and other users may not change it."

MISSING = error(
    "ini.missing",
    "There is no ini file of this name.",
    "Name the file with --config, or run the command in the folder of the file.",
)
UNREADABLE = error(
    "ini.unreadable",
    "The ini file cannot be read.",
    "Correct the named line; write %% for a % in a value. Let the service's user read the file.",
)
NO_APPLICATION = error(
    "ini.no_application",
    "The ini file has no section [app:main] with use = egg:authservice.",
    "Begin with the shipped production.ini, and change its values.",
)
OPEN_TO_CHANGES = error(
    "ini.open_to_changes",
    "Every user of this machine may change the ini file, and so where the service reads its data.",
    "Remove that right: chmod o-w FILE",
)
LOGS_SECRETS = error(
    "ini.logs_secrets",
    "The log level DEBUG lets libraries write codes and tokens into the log.",
    "Set the level of this logger to INFO or WARNING, as in production.ini.",
)
DEBUGGING = error(
    "ini.debugging",
    "A switch for developers is on. It makes the service slow, or shows its internals.",
    "Remove the line.",
)

_SWITCHES = ("pyramid.debug_", "pyramid.reload_", "debugtoolbar.")
_OFF = {"", "false", "no", "0", "off", "n", "f"}


def examine(written: Written) -> Iterator[Finding]:
    """Yield what is wrong with a file that can be read."""
    if "authservice" not in written.ini.get("use", ""):
        yield NO_APPLICATION.at(str(written.ini_file), expected="use = egg:authservice")
    mode = written.ini_file.stat().st_mode
    if mode & stat.S_IWOTH:
        yield OPEN_TO_CHANGES.at(str(written.ini_file), found=stat.filemode(mode))
    if written.ini.get("auth.mode") == "production":
        yield from _for_developers(written)
        yield from _loggers(written.ini_file)


def _for_developers(written: Written) -> Iterator[Finding]:
    for name, value in written.ini.items():
        if name.startswith(_SWITCHES) and value.strip().lower() not in _OFF:
            yield DEBUGGING.at(name, found=value)
    if "debugtoolbar" in written.ini.get("pyramid.includes", ""):
        yield DEBUGGING.at("pyramid.includes", found="pyramid_debugtoolbar")


def _loggers(path: Path) -> Iterator[Finding]:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(path, encoding="utf-8")
    level = {
        name.removeprefix("logger_"): parser.get(name, "level", fallback="NOTSET").strip()
        for name in parser.sections()
        if name.startswith("logger_")
    }
    if level.get("oauthlib", "NOTSET") == "NOTSET" and level.get("root") == "DEBUG":
        yield LOGS_SECRETS.at("[logger_root] level", found="DEBUG", expected="INFO")
    for name, value in level.items():
        if name != "root" and value == "DEBUG":
            yield LOGS_SECRETS.at(f"[logger_{name}] level", found="DEBUG", expected="WARNING")
