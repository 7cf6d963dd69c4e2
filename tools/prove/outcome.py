"""What a part of the proof tried, and what was lost."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

# How much is tried: just enough to see that the proof itself works, minutes, or hours.
Extent = Literal["brief", "quick", "long"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one part; it holds when nothing was lost."""

    part: str
    # What was tried and how often, in the order in which it is printed: ("kills", 100).
    figures: Sequence[tuple[str, int | float | str]]
    # One sentence for each promise that was not kept.
    losses: Sequence[str]
    # What could not be tried on this machine, each with the reason.
    left_out: Sequence[str] = ()
    seconds: float = 0.0


def table_of(outcomes: Sequence[Outcome]) -> str:
    """Return the outcomes as a table for people, its losses below each."""
    lines = []
    for outcome in outcomes:
        figures = ", ".join(f"{_number(value)} {name}" for name, value in outcome.figures)
        lost = len(outcome.losses) or "nothing"
        lines.append(f"{outcome.part:<18} {outcome.seconds:6.0f} s  {figures}; lost: {lost}")
        for loss, times in Counter(outcome.losses).items():
            lines.append(f"    LOST {times} times: {loss}")
        lines.extend(f"    LEFT OUT: {what}" for what in outcome.left_out)
    return "\n".join(lines)


def _number(value: float | str) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return value if isinstance(value, str) else f"{value:,.2f}"
