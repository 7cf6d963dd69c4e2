"""Whatever the folder is called in which the service lies, its programs work or say why not."""

import subprocess

import pytest

from tests.processes import ROOT, SCRIPTS, Process, clean_environment, free_port
from tests.serving.servers import local_ini

STRANGE = "a b#c;d [e] 'f' $g é漢"


@pytest.fixture
def folder(tmp_path, request):
    """A folder with an ini file like that of a checkout."""
    made = tmp_path / request.param
    made.mkdir()
    local_ini(made).rename(made / "local.ini")
    (made / "alembic").symlink_to(ROOT / "alembic")
    return made


def run(folder, *command):
    done = subprocess.run(
        [SCRIPTS / command[0], *command[1:]],
        cwd=folder,
        env=clean_environment(),
        check=False,
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("folder", [STRANGE], indirect=True)
def test_its_programs_work_in_a_folder_of_any_name(folder, stopped_in_the_end):
    for ini in ("local.ini", str(folder / "local.ini")):
        status, said = run(folder, "authservice", "migrate", "--config", ini)
        assert status == 0, said
        status, said = run(folder, "authservice", "clients", "list", "--config", ini)
        assert status == 0, said
        redirect = "http://localhost:3000/callback"
        arguments = ["--name", "A", "--redirect-uri", redirect, "--config", ini]
        status, said = run(folder, "authservice-register", *arguments)
        assert status == 0, said
    status, said = run(folder, "alembic", "-c", "local.ini", "current")
    assert status == 0, said
    assert (folder / "data" / "local.sqlite").exists()

    for program in ("pserve", "authservice-granian"):
        command = [SCRIPTS / program, "local.ini", f"listen_port={free_port()}"]
        server = stopped_in_the_end(Process(command, ready="Serving on", cwd=folder))
        assert server.stop() == 0


@pytest.mark.parametrize("folder", ["100%", "%(here)s"], indirect=True)
@pytest.mark.parametrize(
    "command",
    [
        ["authservice", "migrate"],
        ["authservice", "clients", "list"],
        ["authservice", "clients", "disable", "x"],
        ["authservice", "provider", "rebind"],
        ["authservice", "check", "--config", "local.ini"],
        ["authservice-register", "--name", "A", "--redirect-uri", "http://localhost/"],
        ["authservice-granian", "local.ini"],
    ],
    ids=" ".join,
)
def test_a_percent_sign_in_the_folder_is_named_in_one_line(folder, command):
    status, said = run(folder, *command)

    assert status in {1, 2}
    assert f"{folder}/local.ini has a % in its path, where no ini file can be read" in said
    assert "Traceback" not in said


@pytest.mark.parametrize("folder", ["plain"], indirect=True)
@pytest.mark.parametrize(
    "command", [["clients", "list"], ["clients", "disable", "x"], ["provider", "rebind"]]
)
def test_an_ini_file_that_cannot_be_read_is_said_in_one_line(folder, command):
    (folder / "local.ini").write_text("[app:main]\nauth.url = 100%\nsecret\n", encoding="utf-8")

    status, said = run(folder, "authservice", *command)

    assert status == 2
    assert said.startswith("authservice: ")
    assert len(said.splitlines()) == 1
