"""The secrets: who may read their files, whether they are in the wrong place, or too weak."""

import base64
import binascii
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from authservice.database.postgresql.engines import SECRET_PARAMETERS
from authservice.diagnosis.deployment import Written
from authservice.diagnosis.finding import Finding, error, warning

IN_ORDER = "The secrets are in the right places, and no other user may read them."

FILE_READABLE = warning(
    "secrets.file_readable",
    "Every user of this machine may read the file with the secret.",
    "Let only the service's user read and change it: chmod 600 FILE",
)
FILE_CHANGEABLE = error(
    "secrets.file_changeable",
    "Other users of this machine may change the file with the secret.",
    "Let only the service's user read and change it: chmod 600 FILE",
)
FILE_OWNER = warning(
    "secrets.file_owner",
    "The file with the secret belongs to a user who is neither root nor the service's.",
    "Give it to the service's user: chown USER FILE",
)
IN_INI = error(
    "secrets.in_ini",
    "The ini file has a secret, and ini files are committed and copied.",
    "Replace the secret, since others may know it, and set the new one in the environment.",
)
PASSWORD_IN_INI = warning(
    "secrets.password_in_ini",
    "The ini file has the password of the database, and ini files are committed and copied.",
    "Set the whole address in the environment instead: AUTH_DATABASE_URL",
)
QUOTED = error(
    "secrets.quoted",
    "The value is in quotation marks, and they count as part of it.",
    "Remove the quotation marks: files of variables, unlike shells, take them literally.",
)
PLACEHOLDER = error(
    "secrets.placeholder",
    "The secret is a placeholder.",
    "Copy the client secret from the application's page at the identity provider.",
)
MIXED_UP = error(
    "secrets.mixed_up",
    "Two settings have the same value: one of them was copied to the wrong place.",
    "Set each to its own value: you make AUTH_SECRET, and the others come from the provider.",
)
GUESSABLE = warning(
    "secrets.guessable",
    "The secret decodes to readable text. A person chose it, and another person may guess it.",
    "Make a random one: openssl rand -base64 32",
)
SAME_AS_BEFORE = warning(
    "secrets.same_as_before",
    "The secret and the previous secret are the same, so nothing has been rotated.",
    "Put a new value into AUTH_SECRET, or remove AUTH_SECRET_PREVIOUS.",
)

_SERVER_SECRETS = ("AUTH_SECRET", "AUTH_SECRET_PREVIOUS")
_NAMES = (
    *_SERVER_SECRETS,
    "PROVIDER_CLIENT_SECRET",
    "PROVIDER_APP_PRIVATE_KEY",
    "PROVIDER_WEBHOOK_SECRET",
)
PLACEHOLDERS = {"set-me", "set_me", "setme", "changeme", "change-me", "change_me", "todo", "secret"}
_PLACEHOLDER_SIGNS = ("<", "your-", "your_", "xxx", "example")
# Shorter values could stand in a file by chance.
_SHORTEST_FOUND = 8


def examine(written: Written) -> Iterator[Finding]:
    """Yield what is wrong with the secrets, of which no finding shows a part."""
    values = {name: value for name in _NAMES if (value := _value(written, name))}
    for name in _NAMES:
        yield from _file(written.environ.get(f"{name}_FILE", "").strip(), f"{name}_FILE")
    for name, value in values.items():
        if value[0] == value[-1] and value[0] in "'\"":
            yield QUOTED.at(name)
    if is_placeholder(values.get("PROVIDER_CLIENT_SECRET", "")):
        yield PLACEHOLDER.at("PROVIDER_CLIENT_SECRET")
    yield from _relations(written, values)
    yield from _in_ini(written, values)


def is_placeholder(value: str) -> bool:
    """Tell whether a text only says that something belongs here."""
    text = value.lower()
    return text in PLACEHOLDERS or text.startswith(_PLACEHOLDER_SIGNS)


def _value(written: Written, name: str) -> str:
    value = written.environ.get(name, "").strip()
    path = written.environ.get(f"{name}_FILE", "").strip()
    if value or not path:
        return value
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""  # the settings name it


def _file(path: str, name: str) -> Iterator[Finding]:
    try:
        status = Path(path).stat() if path else None
    except OSError:
        return  # the settings name it
    if status is None:
        return
    mode = stat.filemode(status.st_mode)
    if status.st_mode & (stat.S_IWOTH | stat.S_IWGRP):
        yield FILE_CHANGEABLE.at(f"{name}: {path}", found=mode, expected="-rw-------")
    elif status.st_mode & stat.S_IROTH:
        yield FILE_READABLE.at(f"{name}: {path}", found=mode, expected="-rw-------")
    if status.st_uid not in {0, os.geteuid()}:
        yield FILE_OWNER.at(f"{name}: {path}", found=f"user id {status.st_uid}")


def _relations(written: Written, values: dict[str, str]) -> Iterator[Finding]:
    provider = values.get("PROVIDER_CLIENT_SECRET")
    client_id = written.environ.get("PROVIDER_CLIENT_ID", "") or written.ini.get(
        "provider.client_id", ""
    )
    if provider and not is_placeholder(provider):
        if provider == client_id.strip():
            yield MIXED_UP.at("PROVIDER_CLIENT_SECRET and provider.client_id")
        elif provider in {values.get(name) for name in _SERVER_SECRETS}:
            yield MIXED_UP.at("PROVIDER_CLIENT_SECRET and AUTH_SECRET")
    if "AUTH_SECRET" in values and values["AUTH_SECRET"] == values.get("AUTH_SECRET_PREVIOUS"):
        yield SAME_AS_BEFORE.at("AUTH_SECRET_PREVIOUS")
    for name in _SERVER_SECRETS:
        if name in values and _is_text(values[name]):
            yield GUESSABLE.at(name)


def _is_text(value: str) -> bool:
    """Tell whether base64 holds printable text only, as 32 random bytes once in 10^13 draws."""
    try:
        raw = base64.urlsafe_b64decode(value.replace("+", "-").replace("/", "_") + "==")
    except (binascii.Error, ValueError):
        return False
    return raw.isascii() and raw.decode("ascii").isprintable()


def _in_ini(written: Written, values: dict[str, str]) -> Iterator[Finding]:
    text = written.ini_file.read_text(encoding="utf-8")
    for name, value in values.items():
        if len(value) >= _SHORTEST_FOUND and value in text and not is_placeholder(value):
            yield IN_INI.at(f"{name} in {written.ini_file}")
    try:
        url = make_url(written.ini.get("auth.database_url", ""))
    except ArgumentError:
        return
    if url.password or not url.query.keys().isdisjoint(SECRET_PARAMETERS):
        yield PASSWORD_IN_INI.at("auth.database_url")
