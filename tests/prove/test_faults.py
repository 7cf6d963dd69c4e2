"""The service starved: the brief setting loses nothing."""

import pytest

from prove.parts import PARTS
from tests.parts import faketime, program


@pytest.mark.parametrize(("part", "faults"), [("faults", 9), ("faults-postgresql", 3)])
def test_nothing_acknowledged_is_lost_and_it_goes_on_by_itself(part, faults):
    faketime()
    program("initdb")

    outcome = PARTS[part]("brief")

    assert outcome.losses == []
    # A full disk takes the right to mount one.
    assert dict(outcome.figures)["faults"] >= faults
