"""The catalogue of findings: each has a name of its own, and a test that provokes it."""

import sys
from pathlib import Path

from authservice.diagnosis import after, before, closed_application
from authservice.diagnosis.finding import Kind

COMMANDS = (before, after, closed_application)
KINDS = [kind for command in COMMANDS for subject in command.SUBJECTS for kind in subject.kinds]


def test_every_subject_has_its_place_in_the_output():
    for command in COMMANDS:
        assert [subject.order for subject in command.SUBJECTS] == [
            *range(1, len(command.SUBJECTS) + 1)
        ]


def test_each_has_one_id_that_begins_with_its_subject():
    modules = {subject.examine.__module__ for command in COMMANDS for subject in command.SUBJECTS}
    described = [
        value
        for name in modules
        for value in vars(sys.modules[name]).values()
        if isinstance(value, Kind)
    ]

    assert sorted(kind.id for kind in KINDS) == sorted({kind.id for kind in described})


def test_each_is_provoked_by_a_test(subtests):
    tests = [path.read_text("utf-8") for path in Path(__file__).parent.glob("test_wrong_*.py")]
    for kind in KINDS:
        with subtests.test(kind.id):
            assert any(f'"{kind.id}"' in text for text in tests)
