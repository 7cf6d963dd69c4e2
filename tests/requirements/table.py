"""The table of requirements as a page, made of the statements and of the markers on the tests."""

from pathlib import Path

from tests.helpers import markers
from tests.requirements import documents

PAGE = Path(__file__).parents[2] / "docs" / "evidence" / "requirements.md"
_COMMAND = "python -m tests.requirements"


def page():
    """Return the text of docs/evidence/requirements.md as it has to be now."""
    found, proofs = documents.read(), markers.tests_by_id("requirement")
    number = sum(len(document.statements) for document in found)
    parts = [_introduction(number, len(found)), _contents(found)]
    parts += [_section(document, proofs) for document in found]
    return "\n\n".join(parts) + "\n"


def _introduction(number, documents_number):
    return f"""\
<!-- Made by {_COMMAND}: change the statements or the markers, not this file. -->

# Requirements and their tests

After this page you know what the standards demand of this server, and which tests prove it: it has
{number} statements of {documents_number} standards, in our own words. An id names the document, its
section and a number that we gave. The level is that of the document; the page has a MAY only if
the server makes use of it.

A test names what it proves with `@pytest.mark.requirement`. After a change of statements or markers
run `{_COMMAND}` to write this page again. The tests fail if a statement has no
test, a marker names no statement, or the page is out of date."""


def _contents(found):
    return "\n".join(
        f"- [{document.name}](#{document.name.lower()}): {document.title},"
        f" {len(document.statements)} statements"
        for document in found
    )


def _section(document, proofs):
    rows = "\n".join(_row(statement, proofs) for statement in document.statements)
    text = f"""\
## {document.name}

[{document.title}]({document.address})

| Requirement | Level | Statement | Tests |
| --- | --- | --- | --- |
{rows}"""
    if document.not_applicable:
        reasons = "\n".join(
            f"- {what}: {reason}." for what, reason in document.not_applicable.items()
        )
        text += f"\n\nNot applicable:\n\n{reasons}"
    return text


def _row(statement, proofs):
    tests = "<br>".join(_link(test) for test in proofs.get(statement.id, ()))
    return f"| {statement.id} | {statement.level} | {statement.text} | {tests} |"


def _link(test):
    path, _, function = test.partition("::")
    return f"[{function}](../../{path})"
