"""Before a deployment: its ini file, environment and machine, one module for each subject."""

import configparser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from authservice.database import configuration
from authservice.diagnosis.before import (
    address,
    clock,
    database,
    database_file,
    github_app,
    ini_file,
    keys,
    listening,
    packages,
    placeholders,
    provider,
    proxies,
    rate_limits,
    resources,
    secrets,
    settings,
)
from authservice.diagnosis.before.people import admission, client_lists
from authservice.diagnosis.deployment import Deployment, Written
from authservice.diagnosis.finding import Finding, ok, skipped
from authservice.settings import AuthSettings, Problem, SettingsError, load_settings

WRITTEN = {"ini": ini_file, "settings": settings, "secrets": secrets}
DEPLOYED = {
    "placeholders": placeholders,
    "packages": packages,
    "address": address,
    "provider": provider,
    "app": github_app,
    "clock": clock,
    "file": database_file,
    "database": database,
    "admission": admission,
    "keys": keys,
    "resources": resources,
    "client_lists": client_lists,
    "rate_limits": rate_limits,
    "proxies": proxies,
    "listening": listening,
}
SUBJECTS = WRITTEN | DEPLOYED


def examine(path: Path, environ: Mapping[str, str]) -> list[Finding]:
    """Return what is found of every subject, in the order in which things depend on another.

    Nothing is written but a lookup of our credentials at the provider, which keeps none of it.
    """
    try:
        if not path.is_file():
            return [ini_file.MISSING.at(str(path))]
        ini = configuration.read_ini(str(path))
        server = configuration.read_server(str(path))
        granian = configuration.read_server(str(path), "granian")
    except (OSError, ValueError, configparser.Error) as failure:
        return [ini_file.UNREADABLE.at(str(path), found=_first_line(failure))]
    given: dict[str, Any] = {
        "ini_file": path,
        "ini": ini,
        "server": server,
        "granian": granian,
        "environ": environ,
    }
    written = Written(**given)
    loaded: AuthSettings | None = None
    problems: tuple[Problem, ...] = ()
    try:
        loaded = load_settings(ini, environ)
    except SettingsError as refused:
        problems = refused.problems
    found = [
        *(list(ini_file.examine(written)) or [ok("ini", ini_file.IN_ORDER)]),
        *(list(settings.examine(written, problems)) or [ok("settings", settings.IN_ORDER)]),
        *(list(secrets.examine(written)) or [ok("secrets", secrets.IN_ORDER)]),
    ]
    if loaded is None:
        return found + [skipped(name, "The settings cannot be used yet.") for name in DEPLOYED]
    deployment = Deployment(**given, settings=loaded)
    for name, subject in DEPLOYED.items():
        found += list(subject.examine(deployment)) or [ok(name, subject.IN_ORDER)]
    return found


def _first_line(failure: Exception) -> str:
    return (str(failure).splitlines() or [type(failure).__name__])[0]
