"""Every code block is code, and those that say so run against a real service."""

import os

import pytest

from tests.documentation.markdown import code_blocks
from tests.documentation.syntax import CHECKS
from tests.e2e.recipes import DEFAULT_AUTH_URL
from tests.helpers.parts import program
from tests.helpers.processes import ROOT, SCRIPTS, finished
from tests.helpers.service_fixture import service  # noqa: F401  (a fixture)

BLOCKS = code_blocks()
# Each goes on with what the one before has exported, as in one terminal.
RUN = {
    "sh": '. ../exported; eval "$1"; export -p > ../exported',
    # What Python keeps of a module is not what an example leaves behind.
    "python": '. ../exported; exec python3 -B -c "$1"',
}
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
    """The service of the test stands for the one that ``./run local`` starts in a checkout.

    Its folder is the one to be in, but for tests of an application, which have one of their own.
    Nothing is left there but what the page says to save.
    """
    checkout, application = tmp_path / "authservice", tmp_path / "application"
    for folder in (checkout / "data", checkout / ".venv-local", application):
        folder.mkdir(parents=True)
    (checkout / ".venv-local" / "bin").symlink_to(SCRIPTS)
    (checkout / "local.ini").symlink_to(ROOT / "local.ini")
    (checkout / "data" / "control-token").write_text(service.control_token, encoding="ascii")
    (tmp_path / "exported").touch()
    folder = application if page == "docs/testing.md" else checkout
    saved = {*folder.iterdir()}
    for block in (block for block in BLOCKS if block.page == page):
        mark, _, name = block.mark.partition(": ")
        commands = block.text.replace(DEFAULT_AUTH_URL, service.url)
        if mark == "file":
            (folder / name).write_text(commands, encoding="utf-8")
            saved.add(folder / name)
        if mark != "runs":
            continue

        if "curl" in commands:
            program("curl")
        done = finished(
            ["sh", "-euc", RUN[block.language], "sh", commands],
            cwd=folder,
            env=service.env
            | {
                "HOME": str(tmp_path),
                "PATH": f"{SCRIPTS}:{os.environ['PATH']}",
                "TMPDIR": str(tmp_path),
            },
        )

        assert done.returncode == 0, f"{block.name}: {done.stderr}"
        assert done.stdout, block.name
        assert {*folder.iterdir()} == saved, block.name


def test_the_quick_start_is_among_those_that_run():
    assert len([block for block in RUNNING if block.page == "docs/index.md"]) >= 5
