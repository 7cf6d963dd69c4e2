"""The tables of attacks as a page, made of the catalogue and of the markers on the tests."""

from pathlib import Path

from tests.attacks import catalogue
from tests.helpers import markers

PAGE = Path(__file__).parents[2] / "docs" / "evidence" / "attacks.md"
COMMAND = "python -m tests.attacks"
_INTRODUCTION = f"""\
<!-- Made by {COMMAND}: change the catalogue or the markers, not this file. -->

# Attacks and their tests

After this page you know which attacks the tests try: those of RFC 9700, those of RFC 6819 that
apply, those of two cheat sheets of OWASP, and failures of similar services. None succeeds.
`./run test -m attack` runs them.

A test names what it tries with `@pytest.mark.attack`. After a change of the catalogue or of markers
run `{COMMAND}` to write this page again. The tests fail if an attack has no test, a marker
names no attack, or the page is out of date."""


def page():
    """Return the text of docs/evidence/attacks.md as it has to be now."""
    tests = markers.tests_by_id("attack")
    tables = [_table(source, tests) for source in catalogue.read()]
    return "\n\n".join([_INTRODUCTION, *tables]) + "\n"


def _table(source, tests):
    title = f"[{source.title}]({source.address})" if source.address else source.title
    rows = "\n".join(
        f"| {id_} | {text} | {'<br>'.join(_link(test) for test in tests.get(id_, ()))} |"
        for id_, text in source.attacks.items()
    )
    return f"## {title}\n\n| Attack | What is tried | Tests |\n| --- | --- | --- |\n{rows}"


def _link(test):
    path, _, function = test.partition("::")
    return f"[{function}](../../{path})"
