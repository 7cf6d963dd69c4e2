"""The notes of a release, from the changelog.

``python -m tools.documentation.release_notes vVERSION`` prints them.

The tag has to be that of the version in the code, so that no release names itself otherwise.
"""

import re
import runpy
import sys
from pathlib import Path

_ROOT = Path(__file__).parents[2]
CHANGELOG = _ROOT / "CHANGELOG.md"
# Run and not imported: where a release begins, no library of the package is installed.
_VERSION = runpy.run_path(str(_ROOT / "authservice/settings/version.py"))["__version__"]

_HEADING = re.compile(
    r"^## \[(?P<version>[^\]\n]+)\](?: - (?P<day>\d{4}-\d{2}-\d{2}))?[ ]*$", re.MULTILINE
)
# What follows the last section: where each version is compared with the one before it.
_LINKS = re.compile(r"^\[[^\]\n]+\]: ", re.MULTILINE)


def notes(changelog: str, version: str) -> str:
    """Return the section of a version; raises ValueError where there is nothing to publish."""
    sections = list(_HEADING.finditer(changelog))
    found = [each for each in sections if each["version"] == version]
    if len(found) != 1:
        raise ValueError(f"CHANGELOG.md needs one section: ## [{version}] - YYYY-MM-DD")
    if found[0]["day"] is None:
        raise ValueError(f"the section of {version} needs its day: ## [{version}] - YYYY-MM-DD")
    text = changelog[found[0].end() :]
    ending = _HEADING.search(text) or _LINKS.search(text)
    text = text[: ending.start()] if ending else text
    if not any(line.startswith("- ") for line in text.splitlines()):
        raise ValueError(f"the section of {version} says nothing")
    return text.strip() + "\n"


def of_tag(tag: str, changelog: str, version: str = _VERSION) -> str:
    """Return the notes of a tag; raises ValueError where it is not that of the version."""
    if tag != f"v{version}":
        raise ValueError(f"the tag is {tag} and authservice/settings/version.py says {version}")
    return notes(changelog, version)


def main() -> None:
    """Print the notes of the tag that is given; raises SystemExit with what has to be corrected."""
    if len(sys.argv) != 2:  # noqa: PLR2004
        raise SystemExit("usage: python -m tools.documentation.release_notes TAG")
    try:
        sys.stdout.write(of_tag(sys.argv[1], CHANGELOG.read_text(encoding="utf-8")))
    except ValueError as error:
        raise SystemExit(f"release notes: {error}") from None


if __name__ == "__main__":
    main()
