"""Every code block is code, and those that say so run against a real service."""

import os
import shlex
import sys

import pytest

from tests.documentation.markdown import code_blocks
from tests.documentation.syntax import CHECKS
from tests.e2e.recipes import DEFAULT_AUTH_URL
from tests.helpers.parts import program
from tests.helpers.processes import SCRIPTS, finished
from tests.helpers.service_fixture import service  # noqa: F401  (a fixture)

BLOCKS = code_blocks()
INTERPRETERS = {"sh": ["sh", "-eu"], "python": [sys.executable]}
RUNNING = [block for block in BLOCKS if block.mark == "runs"]


def test_every_block_names_a_language_and_keeps_to_it(subtests):
    assert BLOCKS
    for block in BLOCKS:
        with subtests.test(block.name):
            assert block.language in CHECKS, f"{block.name}: name one of {', '.join(CHECKS)}"

            CHECKS[block.language](block.text)


def test_every_mark_is_one_that_means_something():
    marks = {block.mark.partition(" ")[0] for block in BLOCKS}

    assert marks <= {"", "runs", "recipe:", "typed:", "file:"}


@pytest.mark.parametrize("page", sorted({block.page for block in RUNNING}))
def test_blocks_that_are_said_to_run_do_so_one_after_the_other(page, service, tmp_path):  # noqa: F811
    """The service of the test stands for the one that ``./run local`` starts."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "control-token").write_text(service.control_token, encoding="ascii")
    for block in (block for block in BLOCKS if block.page == page):
        mark, _, name = block.mark.partition(": ")
        commands = block.text.replace(DEFAULT_AUTH_URL, service.url)
        commands = commands.replace(".venv-local/bin/", f"{shlex.quote(str(SCRIPTS))}/")
        if mark == "file":
            (tmp_path / name).write_text(commands, encoding="utf-8")
        if mark != "runs":
            continue

        if "curl" in commands:
            program("curl")
        done = finished(
            [*INTERPRETERS[block.language], "-c", commands],
            cwd=tmp_path,
            env=service.env | {"PATH": f"{SCRIPTS}:{os.environ['PATH']}"},
        )

        assert done.returncode == 0, f"{block.name}: {done.stderr}"
        assert done.stdout, block.name


def test_the_quick_start_is_among_those_that_run():
    assert len([block for block in RUNNING if block.page == "docs/index.md"]) >= 5
