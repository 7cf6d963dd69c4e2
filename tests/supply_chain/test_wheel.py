"""The wheel holds the service alone, and two builds of one commit give the same file."""

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from authservice import __version__

ROOT = Path(__file__).parents[2]
PARTS = ("authservice", "alembic", "tools", "setup.py", "LICENSE")


def built(folder, moment):
    """Build the wheel of files that were checked out at a moment, and return it."""
    folder.mkdir()
    for name in PARTS:
        source, copy = ROOT / name, folder / name
        if source.is_dir():
            shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, copy)
    for file in folder.rglob("*"):
        # As git leaves them under the usual umask: modes are a part of a wheel.
        file.chmod(0o755 if file.is_dir() else 0o644)
        os.utime(file, (moment, moment))
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "wheel"),
            *("--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", "dist", "."),
        ],
        cwd=folder,
        env=os.environ | {"SOURCE_DATE_EPOCH": "1700000000", "PYTHONHASHSEED": str(moment % 1000)},
        umask=0o022,
        check=True,
    )
    (wheel,) = Path(folder, "dist").iterdir()
    return wheel


def test_two_builds_are_the_same(tmp_path):
    one = built(tmp_path / "one", 1600000001)
    other = built(tmp_path / "another-folder", 1800000002)

    assert one.name == other.name
    digests = {hashlib.sha256(wheel.read_bytes()).hexdigest() for wheel in (one, other)}
    assert len(digests) == 1


def test_the_wheel_holds_the_service_alone(tmp_path):
    with zipfile.ZipFile(built(tmp_path / "one", 1600000001)) as wheel:
        folders = {name.partition("/")[0] for name in wheel.namelist()}

    assert folders == {"authservice", f"authservice-{__version__}.dist-info"}
