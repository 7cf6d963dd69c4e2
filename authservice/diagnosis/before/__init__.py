"""Before a deployment: its ini file, environment and machine."""

import configparser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from authservice.database import configuration as ini_files
from authservice.diagnosis.before import (
    configuration,
    database,
    github_app,
    network,
    people,
    provider,
)
from authservice.diagnosis.deployment import Deployment, Written
from authservice.diagnosis.finding import Finding, subjects
from authservice.settings import SettingsError, load_settings

_WRITTEN = subjects(configuration)
_DEPLOYED = subjects(database, github_app, network, people, provider)
SUBJECTS = [*_WRITTEN, *_DEPLOYED]


def examine(path: Path, environ: Mapping[str, str]) -> list[Finding]:
    """Return what is found of every subject, in the order in which things depend on another.

    Nothing is written but a lookup of our credentials at the provider, which keeps none of it.
    """
    try:
        if not path.is_file():
            return [configuration.INI_MISSING.at(str(path))]
        given: dict[str, Any] = {
            "ini_file": path,
            "ini": ini_files.read_ini(str(path)),
            "server": ini_files.read_server(str(path)),
            "granian": ini_files.read_server(str(path), "granian"),
            "environ": environ,
        }
    except (OSError, ValueError, configparser.Error) as failure:
        return [configuration.INI_UNREADABLE.at(str(path), found=_first_line(failure))]
    try:
        settings = load_settings(given["ini"], environ)
    except SettingsError as refused:
        written = Written(**given, problems=refused.problems)
        findings = [finding for subject in _WRITTEN for finding in subject.findings(written)]
        return findings + [each.skipped("The settings cannot be used yet.") for each in _DEPLOYED]
    deployment = Deployment(**given, settings=settings)
    return [finding for subject in SUBJECTS for finding in subject.findings(deployment)]


def _first_line(failure: Exception) -> str:
    return (str(failure).splitlines() or [type(failure).__name__])[0]
