"""Another user of the machine reads nothing that the service or a command has made."""

import os
import sqlite3
import stat
import sys
from contextlib import closing

import pytest

from authservice.crypto.private_files import make_folder
from tests.helpers.ports import free_port
from tests.helpers.processes import SCRIPTS, Process, finished

pytestmark = pytest.mark.engines("sqlite")

UMASKS = [0o000, 0o777]
COMMAND = "import sys; from authservice.cli import main; main(sys.argv[1:])"


def modes(folder):
    """Return the modes of a folder and of everything below it."""
    return {
        str(path.relative_to(folder)): stat.S_IMODE(path.lstat().st_mode)
        for path in (folder, *folder.rglob("*"))
    }


def private(folder):
    """Return the modes that a folder and everything below it should have."""
    return {
        str(path.relative_to(folder)): 0o700 if path.is_dir() else 0o600
        for path in (folder, *folder.rglob("*"))
    }


def run(database, umask, *arguments):
    """Run a command of the service under a umask."""
    finished(
        [sys.executable, "-c", COMMAND, *map(str, arguments)],
        env={"AUTH_DATABASE_URL": f"sqlite:///{database}"},
        check=True,
        umask=umask,
    )


@pytest.mark.attack("MACHINE-file-modes")
@pytest.mark.parametrize("umask", UMASKS, ids=oct)
def test_what_commands_and_the_service_make_is_their_owner_s_alone(tmp_path, umask):
    folder = tmp_path / "data"
    database = folder / "deeper" / "service.sqlite"
    run(database, umask, "migrate")
    run(database, umask, "oauth:register", "--name", "A", "--redirect-uri", "https://a.example")
    run(database, umask, "backup", folder / "backup")
    run(database, umask, "restore", folder / "backup")
    database.unlink()
    run(database, umask, "restore", folder / "backup")

    port = free_port()
    service = Process(
        [SCRIPTS / "pserve", "local.ini", f"listen_port={port}"],
        ready="Serving on",
        env={
            "AUTH_URL": f"http://localhost:{port}",
            "AUTH_DATABASE_URL": f"sqlite:///{database}",
        },
        umask=umask,
    )
    try:
        made = modes(folder)
        assert made == private(folder)
    finally:
        service.stop()

    assert {path.rpartition("/")[2] for path in made} >= {
        "backup",
        "service.sqlite",
        "service.sqlite-shm",
        "service.sqlite-wal",
        "service.sqlite.secret",
    }


@pytest.mark.attack("MACHINE-file-modes")
@pytest.mark.parametrize("umask", UMASKS, ids=oct)
def test_alembic_s_own_command_makes_them_alike(tmp_path, umask):
    database = tmp_path / "data" / "service.sqlite"
    finished(
        [SCRIPTS / "alembic", "-c", "local.ini", "upgrade", "head"],
        env={"AUTH_DATABASE_URL": f"sqlite:///{database}"},
        check=True,
        umask=umask,
    )

    assert modes(tmp_path / "data") == private(tmp_path / "data")


@pytest.mark.attack("MACHINE-file-modes")
def test_a_file_that_a_link_leads_to_is_made_alike(tmp_path):
    (tmp_path / "disk").mkdir()
    link = tmp_path / "service.sqlite"
    link.symlink_to(tmp_path / "disk" / "service.sqlite")
    run(link, 0o022, "migrate")

    assert modes(tmp_path / "disk")["service.sqlite"] == 0o600


def test_what_was_there_keeps_its_mode(tmp_path):
    tmp_path.chmod(0o755)
    make_folder(tmp_path / "made" / "below")
    file = tmp_path / "there.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE t (c)")
    os.chmod(file, 0o640)  # noqa: PTH101
    run(file, 0o022, "migrate")

    assert modes(tmp_path)["."] == 0o755
    assert modes(tmp_path)["made"] == modes(tmp_path)["made/below"] == 0o700
    assert modes(tmp_path)["there.sqlite"] == 0o640
