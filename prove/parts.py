"""The parts of the proof, by the names that the command takes."""

from collections.abc import Callable

from prove.outcome import Outcome

# Each takes whether the long setting is wanted, prints how it goes, and returns its outcome.
Part = Callable[[bool], Outcome]

PARTS: dict[str, Part] = {}
