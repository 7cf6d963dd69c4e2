"""The notes of a release come from the changelog, and a release that has none is not made."""

import re
import subprocess
import sys

import pytest

from authservice.settings.version import __version__
from tests.helpers.processes import ROOT
from tools.documentation.release_notes import CHANGELOG, notes, of_tag

KEPT = """\
# Changelog

## [Unreleased]

### Added

- What is yet to come.

## [1.2.0] - 2026-11-01

### Changed

- A command says which database it works on.

### Fixed

- Two things
  on two lines.

## [1.1.0] - 2026-10-01

- The one before.

[1.2.0]: https://example.com/compare
"""


def test_the_notes_are_the_section_of_the_version():
    assert notes(KEPT, "1.2.0") == (
        "### Changed\n\n- A command says which database it works on.\n\n"
        "### Fixed\n\n- Two things\n  on two lines.\n"
    )
    assert notes(KEPT, "1.1.0") == "- The one before.\n"


def test_a_release_of_which_nothing_is_said_is_refused(subtests):
    for changelog, why in (
        (KEPT.replace("[1.2.0] - 2026-11-01", "[Next]"), "needs one section"),
        (KEPT.replace("[1.1.0]", "[1.2.0]"), "needs one section"),
        (KEPT.replace(" - 2026-11-01", ""), "needs its day"),
        (
            "## [1.2.0] - 2026-11-01\n\n### Added\n\n## [1.1.0] - 2026-10-01\n\n- x\n",
            "says nothing",
        ),
        ("", "needs one section"),
    ):
        with subtests.test(changelog=changelog, why=why), pytest.raises(ValueError, match=why):
            notes(changelog, "1.2.0")


@pytest.mark.parametrize("tag", ["1.2.0", "v1.1.0", "v1.2.0-rc1", ""])
def test_a_tag_that_is_not_the_version_in_the_code_is_refused(tag):
    with pytest.raises(ValueError, match=r"authservice/settings/version\.py says"):
        of_tag(tag, KEPT, "1.2.0")


def test_the_changelog_names_this_version_or_what_is_unreleased():
    headings = re.findall(r"^## \[(.+?)\]", CHANGELOG.read_text(encoding="utf-8"), re.MULTILINE)

    assert headings[0] == "Unreleased"
    assert set(headings[1:2]) <= {__version__}


def test_the_command_needs_no_library_and_says_in_one_line_what_has_to_be_put_right():
    ended = subprocess.run(
        [sys.executable, "-S", "-m", "tools.documentation.release_notes", "v0.0.0"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.count("\n") == 1


def test_nothing_is_published_before_the_notes_are_there():
    workflow = (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")

    assert "needs: [notes, audit, checks, nightly]" in workflow
    assert 'python3 -m tools.documentation.release_notes "$GITHUB_REF_NAME"' in workflow
    assert "--notes-file" in workflow
