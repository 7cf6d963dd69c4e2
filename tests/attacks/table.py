"""The table of attacks in docs/security.md, made of the catalogue and of the markers on tests."""

from pathlib import Path

from tests.attacks import catalogue
from tests.helpers import markers

PAGE = Path(__file__).parents[2] / "docs" / "security.md"
COMMAND = "python -m tests.attacks"
_BEGIN = f"<!-- attacks: made by {COMMAND} -->"
_END = "<!-- end of the attacks -->"


def page():
    """Return the text of docs/security.md as it has to be now."""
    before, _, rest = PAGE.read_text("utf-8").partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return f"{before}{_BEGIN}\n\n{_tables()}\n\n{_END}{after}"


def _tables():
    tests = markers.tests_by_id("attack")
    return "\n\n".join(_table(source, tests) for source in catalogue.read())


def _table(source, tests):
    title = f"[{source.title}]({source.address})" if source.address else source.title
    rows = "\n".join(
        f"| {id_} | {text} | {'<br>'.join(_link(test) for test in tests.get(id_, ()))} |"
        for id_, text in source.attacks.items()
    )
    return f"### {title}\n\n| Attack | What is tried | Tests |\n| --- | --- | --- |\n{rows}"


def _link(test):
    path, _, function = test.partition("::")
    return f"[{function}](../{path})"
