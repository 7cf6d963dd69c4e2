"""What is examined before a deployment: what is written down, and the settings read from it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from authservice.settings import AuthSettings, Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """An ini file with the sections of the application and its servers, and the environment.

    ``problems`` keep the settings from being used.
    """

    ini_file: Path
    ini: Mapping[str, str]
    server: Mapping[str, str]
    granian: Mapping[str, str]
    environ: Mapping[str, str]
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment(Written):
    """The same with the settings, which can be used."""

    settings: AuthSettings
