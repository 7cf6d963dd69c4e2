"""What is written down: the ini file, the settings in it, and the secrets."""

import base64
import binascii
import configparser
import os
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from authservice.database.postgresql.engines import SECRET_PARAMETERS
from authservice.diagnosis.deployment import Written
from authservice.diagnosis.finding import Finding, error, subject, warning
from authservice.settings import AuthSettings
from authservice.settings.sources import ENVIRONMENT_NAMES, INI_KEYS, Source

INI_MISSING = error(
    "ini.missing",
    "There is no ini file of this name.",
    "Name the file with --config, or run the command in the folder of the file.",
)
INI_UNREADABLE = error(
    "ini.unreadable",
    "The ini file cannot be read.",
    "Correct the named line; write %% for a % in a value. Let the service's user read the file.",
)
INI_NO_APPLICATION = error(
    "ini.no_application",
    "The ini file has no section [app:main] with use = egg:authservice.",
    "Begin with the shipped production.ini, and change its values.",
)
INI_OPEN_TO_CHANGES = error(
    "ini.open_to_changes",
    "Every user of this machine may change the ini file, and so where the service reads its data.",
    "Remove that right: chmod o-w FILE",
)
INI_LOGS_SECRETS = error(
    "ini.logs_secrets",
    "The log level DEBUG lets libraries write codes and tokens into the log.",
    "Set the level of this logger to INFO or WARNING, as in production.ini.",
)
INI_DEBUGGING = error(
    "ini.debugging",
    "A switch for developers is on. It makes the service slow, or shows its internals.",
    "Remove the line.",
)

_SWITCHES = ("pyramid.debug_", "pyramid.reload_", "debugtoolbar.")
_OFF = {"", "false", "no", "0", "off", "n", "f"}


@subject("ini", order=1, in_order="The ini file can be read, and other users may not change it.")
def ini(written: Written) -> Iterator[Finding]:
    """Yield what is wrong with a file that can be read."""
    if "authservice" not in written.ini.get("use", ""):
        yield INI_NO_APPLICATION.at(str(written.ini_file), expected="use = egg:authservice")
    mode = written.ini_file.stat().st_mode
    if mode & stat.S_IWOTH:
        yield INI_OPEN_TO_CHANGES.at(str(written.ini_file), found=stat.filemode(mode))
    if written.ini.get("auth.mode") == "production":
        yield from _for_developers(written)
        yield from _loggers(written.ini_file)


def _for_developers(written: Written) -> Iterator[Finding]:
    for name, value in written.ini.items():
        if name.startswith(_SWITCHES) and value.strip().lower() not in _OFF:
            yield INI_DEBUGGING.at(name, found=value)
    if "debugtoolbar" in written.ini.get("pyramid.includes", ""):
        yield INI_DEBUGGING.at("pyramid.includes", found="pyramid_debugtoolbar")


def _loggers(path: Path) -> Iterator[Finding]:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(path, encoding="utf-8")
    level = {
        name.removeprefix("logger_"): parser.get(name, "level", fallback="NOTSET").strip()
        for name in parser.sections()
        if name.startswith("logger_")
    }
    if level.get("oauthlib", "NOTSET") == "NOTSET" and level.get("root") == "DEBUG":
        yield INI_LOGS_SECRETS.at("[logger_root] level", found="DEBUG", expected="INFO")
    for name, value in level.items():
        if name != "root" and value == "DEBUG":
            yield INI_LOGS_SECRETS.at(f"[logger_{name}] level", found="DEBUG", expected="WARNING")


SETTINGS_REFUSED = error(
    "settings.refused",
    "The service does not start with this setting.",
    "Correct it in the ini file or in the environment. The cause says what it has to be.",
)

# Their values may hold a password.
_NEVER_SHOWN = {"auth.database_url", "ratelimit.storage", "outgoing.proxy"}


@subject("settings", order=2, in_order="All settings can be used.")
def settings(written: Written) -> Iterator[Finding]:
    """Yield every problem that reading the settings met."""
    for problem in written.problems:
        name = problem.name.split(" ")[0]
        finding = SETTINGS_REFUSED.at(problem.name, found=_shown(written, name))
        yield replace(finding, cause=f"The service does not start. {problem}")


def _shown(written: Written, name: str) -> str:
    """Return the value that was given; nothing where it could be a secret."""
    keys = {variable: key for key, variable in ENVIRONMENT_NAMES.items()}
    key = keys.get(name, name)
    if key not in INI_KEYS or key in _NEVER_SHOWN:
        return ""
    value = written.environ.get(ENVIRONMENT_NAMES.get(key, ""), "") or written.ini.get(key, "")
    return "" if "@" in value else value.strip()


SECRETS_FILE_READABLE = warning(
    "secrets.file_readable",
    "Every user of this machine may read the file with the secret.",
    "Let only the service's user read and change it: chmod 600 FILE",
)
SECRETS_FILE_CHANGEABLE = error(
    "secrets.file_changeable",
    "Other users of this machine may change the file with the secret.",
    "Let only the service's user read and change it: chmod 600 FILE",
)
SECRETS_FILE_OWNER = warning(
    "secrets.file_owner",
    "The file with the secret belongs to a user who is neither root nor the service's.",
    "Give it to the service's user: chown USER FILE",
)
SECRETS_IN_INI = error(
    "secrets.in_ini",
    "The ini file has a secret, and ini files are committed and copied.",
    "Replace the secret, since others may know it, and set the new one in the environment.",
)
SECRETS_PASSWORD_IN_INI = warning(
    "secrets.password_in_ini",
    "The ini file has the password of the database, and ini files are committed and copied.",
    "Set the whole address in the environment instead: AUTH_DATABASE_URL",
)
SECRETS_QUOTED = error(
    "secrets.quoted",
    "The value is in quotation marks, and they count as part of it.",
    "Remove the quotation marks: files of variables, unlike shells, take them literally.",
)
SECRETS_PLACEHOLDER = error(
    "secrets.placeholder",
    "The secret is a placeholder.",
    "Copy the client secret from the application's page at the identity provider.",
)
SECRETS_MIXED_UP = error(
    "secrets.mixed_up",
    "Two settings have the same value: one of them was copied to the wrong place.",
    "Set each to its own value: you make AUTH_SECRET, and the others come from the provider.",
)
SECRETS_GUESSABLE = warning(
    "secrets.guessable",
    "The secret decodes to readable text. A person chose it, and another person may guess it.",
    "Make a random one: openssl rand -base64 32",
)
SECRETS_SAME_AS_BEFORE = warning(
    "secrets.same_as_before",
    "The secret and the previous secret are the same, so nothing has been rotated.",
    "Put a new value into AUTH_SECRET, or remove AUTH_SECRET_PREVIOUS.",
)

_SERVER_SECRETS = ("AUTH_SECRET", "AUTH_SECRET_PREVIOUS")
_SECRETS = (
    *_SERVER_SECRETS,
    "PROVIDER_CLIENT_SECRET",
    "PROVIDER_APP_PRIVATE_KEY",
    "PROVIDER_WEBHOOK_SECRET",
)
PLACEHOLDERS = {"set-me", "set_me", "setme", "changeme", "change-me", "change_me", "todo", "secret"}
_PLACEHOLDER_SIGNS = ("<", "your-", "your_", "xxx", "example")
# Shorter values could stand in a file by chance.
_SHORTEST_FOUND = 8


@subject(
    "secrets",
    order=3,
    in_order="The secrets are in the right places, and no other user may read them.",
)
def secrets(written: Written) -> Iterator[Finding]:
    """Yield what is wrong with the secrets, of which no finding shows a part."""
    given = Source({}, written.environ)  # the settings name what is wrong with one
    values = {name: value for name in _SECRETS if (value := given.text_of_secret(name))}
    for name in _SECRETS:
        yield from _secret_file(written.environ.get(f"{name}_FILE", "").strip(), f"{name}_FILE")
    for name, value in values.items():
        if value[0] == value[-1] and value[0] in "'\"":
            yield SECRETS_QUOTED.at(name)
    if is_placeholder(values.get("PROVIDER_CLIENT_SECRET", "")):
        yield SECRETS_PLACEHOLDER.at("PROVIDER_CLIENT_SECRET")
    yield from _relations(written, values)
    yield from _secrets_in_ini(written, values)


def is_placeholder(value: str) -> bool:
    """Tell whether a text only says that something belongs here."""
    text = value.lower()
    return text in PLACEHOLDERS or text.startswith(_PLACEHOLDER_SIGNS)


def lacks_credentials(settings: AuthSettings) -> bool:
    """Tell whether what identifies the service at the provider is still to be put there."""
    given = (settings.provider.client_id, settings.provider.client_secret)
    return any(map(is_placeholder, given))


def _secret_file(path: str, name: str) -> Iterator[Finding]:
    try:
        status = Path(path).stat() if path else None
    except OSError:
        return  # the settings name it
    if status is None:
        return
    mode = stat.filemode(status.st_mode)
    if status.st_mode & (stat.S_IWOTH | stat.S_IWGRP):
        yield SECRETS_FILE_CHANGEABLE.at(f"{name}: {path}", found=mode, expected="-rw-------")
    elif status.st_mode & stat.S_IROTH:
        yield SECRETS_FILE_READABLE.at(f"{name}: {path}", found=mode, expected="-rw-------")
    if status.st_uid not in {0, os.geteuid()}:
        yield SECRETS_FILE_OWNER.at(f"{name}: {path}", found=f"user id {status.st_uid}")


def _relations(written: Written, values: dict[str, str]) -> Iterator[Finding]:
    provider = values.get("PROVIDER_CLIENT_SECRET")
    client_id = written.environ.get("PROVIDER_CLIENT_ID", "") or written.ini.get(
        "provider.client_id", ""
    )
    if provider and not is_placeholder(provider):
        if provider == client_id.strip():
            yield SECRETS_MIXED_UP.at("PROVIDER_CLIENT_SECRET and provider.client_id")
        elif provider in {values.get(name) for name in _SERVER_SECRETS}:
            yield SECRETS_MIXED_UP.at("PROVIDER_CLIENT_SECRET and AUTH_SECRET")
    if "AUTH_SECRET" in values and values["AUTH_SECRET"] == values.get("AUTH_SECRET_PREVIOUS"):
        yield SECRETS_SAME_AS_BEFORE.at("AUTH_SECRET_PREVIOUS")
    for name in _SERVER_SECRETS:
        if name in values and _is_text(values[name]):
            yield SECRETS_GUESSABLE.at(name)


def _is_text(value: str) -> bool:
    """Tell whether base64 holds printable text only, as 32 random bytes once in 10^13 draws."""
    try:
        raw = base64.urlsafe_b64decode(value.replace("+", "-").replace("/", "_") + "==")
    except (binascii.Error, ValueError):
        return False
    return raw.isascii() and raw.decode("ascii").isprintable()


def _secrets_in_ini(written: Written, values: dict[str, str]) -> Iterator[Finding]:
    text = written.ini_file.read_text(encoding="utf-8")
    for name, value in values.items():
        if len(value) >= _SHORTEST_FOUND and value in text and not is_placeholder(value):
            yield SECRETS_IN_INI.at(f"{name} in {written.ini_file}")
    try:
        url = make_url(written.ini.get("auth.database_url", ""))
    except ArgumentError:
        return
    if url.password or not url.query.keys().isdisjoint(SECRET_PARAMETERS):
        yield SECRETS_PASSWORD_IN_INI.at("auth.database_url")
