"""Whatever the folder is called in which the service lies, its programs work or say why not."""

from itertools import product

from tests.helpers.ports import free_port
from tests.helpers.processes import ROOT, SCRIPTS, Process, finished
from tests.serving.servers import local_ini


def made(folder):
    """Make a folder with an ini file like that of a checkout."""
    folder.mkdir()
    local_ini(folder).rename(folder / "local.ini")
    (folder / "alembic").symlink_to(ROOT / "alembic")
    return folder


def run(folder, *command, **environ):
    done = finished([SCRIPTS / command[0], *command[1:]], cwd=folder, env=environ)
    return done.returncode, done.stdout + done.stderr


def test_its_programs_work_in_a_folder_of_any_name(tmp_path, stopped_in_the_end):
    folder = made(tmp_path / "a b#c;d [e] 'f' $g é漢")
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


def test_a_percent_sign_in_the_folder_is_named_in_one_line(subtests, tmp_path):
    folders = [made(tmp_path / name) for name in ("100%", "%(here)s")]

    for folder, command in product(
        folders,
        (
            "authservice migrate",
            "authservice clients list",
            "authservice clients disable x",
            "authservice provider rebind",
            "authservice check --config local.ini",
            "authservice-register --name A --redirect-uri http://localhost/",
            "authservice-granian local.ini",
        ),
    ):
        with subtests.test(folder=folder.name, command=command):
            status, said = run(folder, *command.split())
            assert status in {1, 2}
            assert f"{folder}/local.ini has a % in its path, where no ini file can be read" in said
            assert "Traceback" not in said


def test_a_folder_that_cannot_be_made_is_said_in_one_line(tmp_path):
    folder = made(tmp_path / "plain")
    (folder / "file").touch()
    url = f"sqlite:///{folder}/file/local.sqlite"

    status, said = run(folder, "authservice", "migrate", AUTH_DATABASE_URL=url)

    assert status == 1
    assert f"the database cannot be written: the folder {folder}/file cannot be made: " in said
    assert len(said.splitlines()) == 2


def test_what_is_to_be_run_names_the_ini_file_of_the_service(subtests, tmp_path):
    """Another deployment may have its own in the folder of the shipped ones."""
    folder = made(tmp_path / "a b")
    file = (folder / "local.ini").rename(folder / "ours.ini")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    for program in ("pserve", "authservice-granian"):
        with subtests.test(program=program):
            port = f"listen_port={free_port()}"
            _, said_there = run(folder, program, "ours.ini", port)
            _, said_elsewhere = run(elsewhere, program, str(file), port)
            assert "run: authservice migrate --config ours.ini\n" in said_there
            assert f"run: authservice migrate --config '{file}'\n" in said_elsewhere
