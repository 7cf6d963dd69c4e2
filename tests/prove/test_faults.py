"""The service starved: the brief setting loses nothing."""

import pytest

from prove.faults import disk
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
