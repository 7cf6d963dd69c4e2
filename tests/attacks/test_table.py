"""The table of attacks: none without a test, and no test of an attack that is not listed."""

import pytest

from tests.attacks import catalogue, table
from tests.helpers import markers

SOURCES = catalogue.read()


@pytest.mark.parametrize("source", SOURCES, ids=catalogue.NAMES)
def test_every_attack_is_made_by_a_test(source):
    tests = markers.tests_by_id("attack")

    assert [id_ for id_ in source.attacks if id_ not in tests] == []


def test_every_marker_names_an_attack():
    known = {id_ for source in SOURCES for id_ in source.attacks}

    assert sorted(markers.tests_by_id("attack").keys() - known) == []


def test_markers_stand_on_tests_only():
    assert markers.misplaced("attack") == []


def test_the_page_has_the_table_that_would_be_made_now():
    assert table.PAGE.read_text("utf-8") == table.page(), f"run: {table.COMMAND}"
