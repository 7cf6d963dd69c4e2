"""The environments that ./run sets up: once, beside the one that processes run from."""

import os
import socket
import subprocess
from pathlib import Path

import pytest


def set_up(checkout):
    return [line for line in checkout.done if line.startswith("set up")]


def test_an_environment_is_set_up_once_also_when_its_packages_bring_a_newer_python(
    checkout, python
):
    (checkout.folder.parent / "state" / "later").touch()

    for _ in range(2):
        status, said = checkout.run("./run", "local", **python)
        assert status == 0, said

    assert set_up(checkout) == ["set up .venv-local.1"]
    assert (checkout.folder / ".venv-local").readlink() == Path(".venv-local.1")


def test_two_tasks_at_once_set_it_up_once(checkout, python):
    begun = [checkout.start("./run", "migrate", **python) for _ in range(2)]

    assert [each.communicate() and each.returncode for each in begun] == [0, 0]
    assert set_up(checkout) == ["set up .venv-local.1"]


def test_the_environment_before_stays_for_what_runs_from_it(checkout, python):
    kept = []
    for number in (1, 2, 3):
        checkout.lock("prod", f"one=={number}")
        assert checkout.run("./run", "migrate", **python)[0] == 0
        kept.append({path.name for path in checkout.folder.glob(".venv-local.*")})

    assert kept == [
        {".venv-local.1"},
        {".venv-local.1", ".venv-local.2"},
        {".venv-local.2", ".venv-local.3"},
    ]
    assert (checkout.folder / ".venv-local").readlink() == Path(".venv-local.3")


def test_a_folder_that_somebody_else_made_stays(checkout, python):
    (checkout.folder / ".venv-local").mkdir()

    assert checkout.run("./run", "migrate", **python) == (
        1,
        ".venv-local is not one that ./run has made. Move it away, then try again.\n",
    )
    assert set_up(checkout) == []


def test_what_breaks_off_leaves_nothing_and_the_old_one_in_place(checkout, python):
    checkout.run("./run", "migrate", **python)
    checkout.lock("prod", "one==2")
    program = checkout.folder.parent / "bin" / "made-up-python"
    program.write_text(program.read_text().replace("name in pip", "name in none"))

    status, _ = checkout.run("./run", "migrate", **python)

    assert status != 0
    assert [path.name for path in checkout.folder.glob(".venv-local.*")] == [".venv-local.1"]


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_a_taken_port_is_said_before_anything_is_set_up(checkout, python, host):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    port = python["AUTH_LOCAL_PORT"]
    try:
        holder = socket.create_server((host, int(port)), family=family)
    except OSError:
        pytest.skip("this machine has no ::1")
    with holder:
        status, said = checkout.run("./run", "local", **python)

    address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    assert status == 1
    assert said.startswith(f"Local mode cannot listen on {address}: Address already in use.\n")
    assert "Or: ./run local --port N serves on another one." in said
    assert f"process {os.getpid()}: " in said
    assert set_up(checkout) == []


def test_the_chosen_port_is_that_of_the_server_and_of_its_address(subtests, checkout, python):
    port = python.pop("AUTH_LOCAL_PORT")
    for words, environment in (
        ([], {"AUTH_LOCAL_PORT": port}),
        (["--port", port], {}),
        (["--port", port], {"AUTH_LOCAL_PORT": "37960"}),
    ):
        with subtests.test(words=words, environment=environment):
            status, said = checkout.run("./run", "local", *words, **python, **environment)
            assert status == 0, said
            assert checkout.done[-1] == (
                f"pserve local.ini listen_port={port} at http://localhost:{port}"
            )


def test_a_port_that_is_none_is_said_before_anything_is_set_up(subtests, checkout, python):
    of_port = "must be a number from 1024 to 65535, such as 8000, not"
    for words, variable, wrong in (
        (["--port", "0"], "", f'--port {of_port} "0".'),
        (["--port", "1023"], "", f'--port {of_port} "1023".'),
        (["--port", "65536"], "", f'--port {of_port} "65536".'),
        (["--port", "08000"], "", f'--port {of_port} "08000".'),
        (["--port", "many"], "", f'--port {of_port} "many".'),
        (["--port"], "", f'--port {of_port} "none".'),
        ([], "-8000", f'AUTH_LOCAL_PORT {of_port} "-8000".'),
        (["8000"], "", "./run local takes --port N and nothing else, not: 8000"),
        (
            ["--port", "8000", "x"],
            "",
            "./run local takes --port N and nothing else, not: --port 8000 x",
        ),
    ):
        with subtests.test(words=words, variable=variable):
            environment = python | {"AUTH_LOCAL_PORT": variable}
            assert checkout.run("./run", "local", *words, **environment) == (1, f"{wrong}\n")
    assert set_up(checkout) == []


def test_a_folder_in_which_nothing_would_work_is_said_in_one_line_of_its_own(subtests, checkout):
    folder = checkout.folder
    which = "The path of this checkout contains one of the characters % ? : $ and \\"
    for name in ("100%", "%(here)s", "what?", "a:b", "$HOME", "a\\b"):
        folder = folder.rename(folder.with_name(name))
        with subtests.test(name=name):
            done = subprocess.run(
                ["./run", "local"], cwd=folder, check=False, capture_output=True, text=True
            )
            assert done.returncode == 1
            assert done.stderr.splitlines() == [
                f"{which}, which cannot work:",
                f"    {folder}",
                "Move the checkout to a folder without them.",
            ]
            subprocess.run(["./run", "help"], cwd=folder, check=True, capture_output=True)
