"""Whatever the folders are in which the service lies and logs, its programs work or say why not."""

import configparser
import json
import re
import shutil
from itertools import product

import requests

from tests.documentation.markdown import code_blocks
from tests.helpers.ports import free_port
from tests.helpers.processes import ROOT, SCRIPTS, LocalService, Process, finished
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


def test_once_it_serves_no_page_needs_a_file(tmp_path, stopped_in_the_end):
    """Another version may lie there by then, whose pages ask for what this one does not know."""
    package = shutil.copytree(ROOT / "authservice", tmp_path / "authservice")
    # As an editor marks what it changes.
    (package / "web/templates/.#page.jinja2").symlink_to("somebody@somewhere")
    service = stopped_in_the_end(LocalService(tmp_path, PYTHONPATH=str(tmp_path)))
    for folder in ("locale", "web/templates", "web/static", "local_mode/templates"):
        shutil.rmtree(package / folder)

    def get(path):
        headers = {"Accept": "text/html", "Accept-Language": "de"}
        return requests.get(f"{service.url}{path}", headers=headers, timeout=20)

    start = get("/").text
    assert "Ein Klick, kein Passwort" in start
    style = re.search(r'href="(/static/[^"]+\.css[^"]*)"', start)[1]
    for path, status in ((style, 200), ("/nowhere", 404), ("/signed-out", 200)):
        assert get(path).status_code == status, path


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


def test_events_have_a_file_of_their_own_or_the_reason_is_said_in_one_line(subtests, tmp_path):
    folder = made(tmp_path / "service")
    (snippet,) = [block.text for block in code_blocks() if "handler_events" in block.text]
    ini = configparser.ConfigParser(interpolation=None)
    ini.read(ROOT / "production.ini", encoding="utf-8")
    logging = {
        name: dict(ini[name]) for name in ini.sections() if name.startswith(("log", "hand", "form"))
    }
    ini.read(folder / "local.ini", encoding="utf-8")
    ini.read_dict(logging)
    ini.read_string(snippet.replace("/var/log/authservice", f"{tmp_path}/log"))
    with (folder / "local.ini").open("w", encoding="utf-8") as file:
        ini.write(file)
    register = ["authservice-register", "--name", "A", "--redirect-uri", "http://localhost/"]
    (tmp_path / "log").mkdir()
    status, said = run(folder, "authservice", "migrate", "--config", "local.ini")
    assert status == 0, said

    status, said = run(folder, *register)

    assert (status, "client_registered" in said) == (0, False), said
    events = (tmp_path / "log" / "events.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["message"] for line in events] == ["client_registered"]

    (tmp_path / "log" / "events.jsonl").unlink()
    (tmp_path / "log").rmdir()
    port = f"listen_port={free_port()}"
    for command in (
        ["pserve", "local.ini", port],
        ["authservice-granian", "local.ini", port],
        register,
    ):
        with subtests.test(program=command[0]):
            status, said = run(folder, *command)
            assert status == 1
            (line,) = [line for line in said.splitlines() if "the database is" not in line.lower()]
            assert line.startswith(
                f"authservice: the log file {tmp_path}/log/events.jsonl cannot be"
            )
