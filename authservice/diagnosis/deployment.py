"""What is examined before a deployment: what is written down, and the settings read from it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from authservice.settings import AuthSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """An ini file with the sections of the application and its servers, and the environment."""

    ini_file: Path
    ini: Mapping[str, str]
    server: Mapping[str, str]
    granian: Mapping[str, str]
    environ: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment(Written):
    """The same with the settings, which can be used."""

    settings: AuthSettings
