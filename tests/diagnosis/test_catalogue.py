"""The catalogue of findings: each has a name of its own, and a test that provokes it."""

from pathlib import Path

from authservice.diagnosis import catalogue

KINDS = [
    (command, subject, kind)
    for command, subjects in catalogue.COMMANDS.items()
    for subject, module in subjects.items()
    for kind in catalogue.kinds(module)
]


def test_there_are_as_many_findings_as_were_promised():
    assert len(KINDS) >= 40


def test_each_has_one_id_that_begins_with_its_subject():
    ids = [(command, kind.id) for command, _, kind in KINDS]

    assert sorted(set(ids)) == sorted(ids)
    assert [kind.id for _, subject, kind in KINDS if not kind.id.startswith(f"{subject}.")] == []


def test_each_is_provoked_by_a_test(subtests):
    tests = [path.read_text("utf-8") for path in Path(__file__).parent.glob("test_wrong_*.py")]
    for _, _, kind in KINDS:
        with subtests.test(kind.id):
            assert any(f'"{kind.id}"' in text for text in tests)
