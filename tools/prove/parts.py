"""The parts of the proof, by the names that the command takes."""

from collections.abc import Callable

from tools.prove import attacks, isolation, kills, mutants, stops
from tools.prove.faults import part as faults
from tools.prove.fuzz import part as fuzz
from tools.prove.fuzz import wire
from tools.prove.outcome import Extent, Outcome

# Each takes how much is wanted, and returns what came of it.
Part = Callable[[Extent], Outcome]

PARTS: dict[str, Part] = {
    "kills": kills.on_sqlite,
    "kills-postgresql": kills.on_postgresql,
    "stops": stops.at_random_moments,
    "faults": faults.on_sqlite,
    "faults-postgresql": faults.on_postgresql,
    "attacks": attacks.make,
    "fuzz": fuzz.fuzz,
    "wire": wire.smuggle,
    "isolation": isolation.try_out,
    "mutants": mutants.try_out,
}
