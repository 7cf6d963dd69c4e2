"""Every code block is code, and those that say so run against a real service."""

import os
import shlex
import subprocess

import pytest

from tests.documentation.markdown import code_blocks
from tests.documentation.syntax import CHECKS
from tests.e2e.recipes import DEFAULT_AUTH_URL
from tests.processes import SCRIPTS, clean_environment
from tests.service_fixture import service  # noqa: F401  (a fixture)

BLOCKS = code_blocks()
RUNNING = [block for block in BLOCKS if block.mark == "runs"]


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.name)
def test_every_block_names_a_language_and_keeps_to_it(block):
    assert block.language in CHECKS, f"{block.name}: name one of {', '.join(CHECKS)}"

    CHECKS[block.language](block.text)


def test_every_mark_is_one_that_means_something():
    marks = {block.mark.partition(" ")[0] for block in BLOCKS}

    assert marks <= {"", "runs", "recipe:"}


@pytest.mark.parametrize("block", RUNNING, ids=lambda block: block.name)
def test_a_block_that_is_said_to_run_runs(block, service, tmp_path):  # noqa: F811
    """The service of the test stands for the one that ``./run local`` starts."""
    commands = block.text.replace(DEFAULT_AUTH_URL, service.url)
    commands = commands.replace(".venv-local/bin/", f"{shlex.quote(str(SCRIPTS))}/")

    done = subprocess.run(
        ["sh", "-eu", "-c", commands],
        cwd=tmp_path,
        env=clean_environment() | service.env | {"PATH": f"{SCRIPTS}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_the_quick_start_is_among_those_that_run():
    assert len([block for block in RUNNING if block.name.startswith("docs/index.md")]) >= 5
