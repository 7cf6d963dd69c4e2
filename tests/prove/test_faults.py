"""The service starved: the brief setting loses nothing."""

import pytest

from bench.databases import EmptyDatabase
from prove.faults import disk, trial
from prove.parts import PARTS
from tests.mounts import MOUNTING
from tests.parts import faketime, machine_lacks, program


@pytest.mark.parametrize(("part", "faults"), [("faults", 10), ("faults-postgresql", 4)])
def test_nothing_acknowledged_is_lost_and_it_goes_on_by_itself(part, faults):
    faketime()
    program("initdb")

    outcome = PARTS[part]("brief")

    assert outcome.losses == []
    assert dict(outcome.figures)["faults"] + len(outcome.left_out) == faults
    if outcome.left_out:
        # The disk that is full, and nothing else.
        assert [what.partition(": ")[2] for what in outcome.left_out] == [disk.NOT_MOUNTED]
        machine_lacks(MOUNTING)


def test_a_process_that_is_killed_on_purpose_cuts_no_newcomer_off(tmp_path, monkeypatch):
    # There is always one: a kill that does not wait finds them.
    monkeypatch.setattr(trial, "_BETWEEN_NEWCOMERS", 0.001)
    (fault,) = (each for each in disk.faults("brief") if each.name == "read-only file")
    folder = tmp_path / "served"
    folder.mkdir()

    database = EmptyDatabase(f"sqlite:///{folder}/service.sqlite")
    with trial.service(folder, database, fault.through) as subject:
        found = trial.suffer(subject, fault)

    assert found.losses == []
