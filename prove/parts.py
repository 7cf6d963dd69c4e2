"""The parts of the proof, by the names that the command takes."""

from collections.abc import Callable

from prove import kills
from prove.outcome import Extent, Outcome

# Each takes how much is wanted, and returns what came of it.
Part = Callable[[Extent], Outcome]

PARTS: dict[str, Part] = {
    "kills": kills.on_sqlite,
    "kills-postgresql": kills.on_postgresql,
}
