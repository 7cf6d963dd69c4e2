"""What a run was measured on, so that its figures are not taken for another machine's."""

import os
import platform
import secrets
import sqlite3
import tempfile
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from authservice import clock

_PACKAGES = (
    "pyramid",
    "waitress",
    "granian",
    "SQLAlchemy",
    "oauthlib",
    "jwcrypto",
    "cryptography",
    "psycopg",
)
_SYNCS = 200


def ran_on(folder: Path) -> dict[str, str]:
    """Return the facts, by name; ``folder`` is where the databases are."""
    return {
        "date": f"{clock.now():%Y-%m-%d %H:%M} UTC",
        "CPU": _cpu_model(),
        "CPUs": str(len(os.sched_getaffinity(0))),
        "kernel": f"{platform.system()} {platform.release()}",
        "Python": platform.python_version(),
        "SQLite": sqlite3.sqlite_version,
        "packages": ", ".join(_versions()),
        "disk": f"{filesystem(folder)}, {syncs_per_second(folder):,.0f} synced writes a second",
        "load average": _load_average(),
    }


def syncs_per_second(folder: Path) -> float:
    """Return how often a second a small write can be brought to the disk: the disk's constant."""
    with tempfile.NamedTemporaryFile(dir=folder) as file:
        began = time.perf_counter()
        for _ in range(_SYNCS):
            os.write(file.fileno(), secrets.token_bytes(4096))
            os.fdatasync(file.fileno())
        return _SYNCS / (time.perf_counter() - began)


def _load_average() -> str:
    figures = " ".join(f"{load:.2f}" for load in os.getloadavg())
    busy = os.getloadavg()[0] > 0.25 * len(os.sched_getaffinity(0))
    return f"{figures} - others use this machine, and the figures suffer" if busy else figures


def _cpu_model() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.machine()


def _versions() -> list[str]:
    found = []
    for name in _PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return found


def filesystem(folder: Path) -> str:
    """Return the kind of file system that holds a folder: the mount with the longest path wins."""
    mounts = [line.split()[:3] for line in Path("/proc/mounts").read_text().splitlines()]
    holding = [(where, kind) for _, where, kind in mounts if folder.is_relative_to(where)]
    return max(holding, key=lambda mount: len(mount[0]))[1]
