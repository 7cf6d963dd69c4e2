"""The table of requirements: no statement without a test, no marker without a statement."""

import re
from collections import Counter

from tests.helpers import markers
from tests.requirements import documents, table

DOCUMENTS = documents.read()
STATEMENTS = [statement for document in DOCUMENTS for statement in document.statements]


def test_there_are_as_many_statements_as_were_promised():
    assert len(STATEMENTS) >= 250


def test_every_statement_has_a_test(subtests):
    proofs = markers.tests_by_id("requirement")

    for document in DOCUMENTS:
        with subtests.test(document=document.name):
            assert [each.id for each in document.statements if each.id not in proofs] == []


def test_every_marker_names_a_statement():
    known = {statement.id for statement in STATEMENTS}

    unknown = markers.tests_by_id("requirement").keys() - known

    assert sorted(unknown) == []


def test_no_marker_is_given_twice_to_one_test():
    twice = {
        requirement: [test for test, times in Counter(tests).items() if times > 1]
        for requirement, tests in markers.tests_by_id("requirement").items()
    }

    assert {requirement: tests for requirement, tests in twice.items() if tests} == {}


def test_markers_stand_on_tests_only():
    assert markers.misplaced("requirement") == []


def test_the_page_is_what_would_be_made_now():
    assert table.PAGE.read_text("utf-8") == table.page(), "run: python -m tests.requirements"


def test_statements_are_numbered_levelled_and_in_one_line(subtests):
    for document in DOCUMENTS:
        with subtests.test(document=document.name):
            for statement in document.statements:
                section = statement.id.removeprefix(f"{document.name}-")
                assert re.fullmatch(r"\d+(\.\d+)*-\d+", section), statement
                assert statement.level in documents.LEVELS, statement
                assert not re.search(r"[|\n]|\.$", statement.text), statement
            assert all(document.not_applicable.values())
