"""The command that migrates, in installations that hold no migrations, or not all of them."""

import shutil
import sys

import pytest

from authservice.database.revision import REVISION
from tests.helpers.processes import ROOT, finished

COMMAND = "import sys; from authservice.cli import main; main(sys.argv[1:])"


@pytest.fixture
def installation(tmp_path):
    """A copy of the package alone."""
    folder = tmp_path / "installation"
    shutil.copytree(ROOT / "authservice", folder / "authservice")
    return folder


def migrate(installation):
    file = installation / "migrated.sqlite"
    ended = finished(
        [sys.executable, "-c", COMMAND, "migrate"],
        cwd=installation,
        env={"PYTHONPATH": str(installation), "AUTH_DATABASE_URL": f"sqlite:///{file}"},
    )
    return ended.returncode, ended.stderr, file.exists()


def test_an_installation_with_its_migrations(installation):
    shutil.copytree(ROOT / "alembic", installation / "authservice" / "alembic")

    status, said, made = migrate(installation)

    assert (status, made) == (0, True)
    assert said.endswith(f"\nThe database is at revision {REVISION}.\n")


@pytest.mark.parametrize("left", ["no folder", "no revisions", "not the newest"])
def test_an_installation_without_says_so_and_makes_no_database(installation, left):
    scripts = installation / "authservice" / "alembic"
    if left != "no folder":
        shutil.copytree(ROOT / "alembic", scripts)
        pattern = f"{REVISION}_*.py" if left == "not the newest" else "*.py"
        for revision in (scripts / "versions").glob(pattern):
            revision.unlink()

    status, said, made = migrate(installation)

    assert (status, made) == (1, False)
    assert "this installation has no migrations up to" in said
    assert "revision " not in said
