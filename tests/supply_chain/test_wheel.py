"""Who builds the wheel anew from the same commit gets the same file, byte by byte."""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PARTS = ("authservice", "alembic", "setup.py", "LICENSE")


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
