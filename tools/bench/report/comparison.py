"""Comparing two columns: of one run only, pair by pair of its interleaved rounds.

The same code measured on two days differs by more than what one wants to know.
"""

import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass

from tools.bench.report.figures import Column


class AnotherRunError(Exception):
    """Two columns were not measured in the same run."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """How many times as dear a case is in one column as in another, over the rounds."""

    case: str
    median: float
    lowest: float
    highest: float

    def __str__(self) -> str:
        return f"{self.median:.2f} [{self.lowest:.2f}..{self.highest:.2f}]"


def ratio(base: Column, other: Column, case: str, figure: str = "cpu_us") -> Ratio:
    """Return the ratio of a figure; raises AnotherRunError for columns of two runs."""
    require_one_run(base, other)
    return _ratio(case, base.values(case, figure), other.values(case, figure))


def ratio_of_cases(column: Column, base: str, other: str) -> Ratio:
    """Return how many times as much CPU time another case takes as a base, in one column."""
    return _ratio(other, column.values(base, "cpu_us"), column.values(other, "cpu_us"))


def _ratio(case: str, base: list[float], other: list[float]) -> Ratio:
    pairs = zip(base, other, strict=True)
    # On a used-up machine a short round may do nothing that the kernel can count.
    ratios = [theirs / ours if ours else math.inf for ours, theirs in pairs]
    return Ratio(case, statistics.median(ratios), min(ratios), max(ratios))


def dearer(base: Column, other: Column, cases: Iterable[str], limit: float) -> list[Ratio]:
    """Return the cases whose CPU time in the other column is more than so many times the base's."""
    ratios = [ratio(base, other, case) for case in cases]
    return [found for found in ratios if found.median > limit]


def failure(base: Column, other: Column, found: Ratio, limit: float) -> str:
    """Return what a reader is told of a case that is dearer than it may be."""
    return (
        f"{found.case} takes {found} times as much CPU time with {other.name} as with {base.name};"
        f" the limit is {limit}"
    )


def require_one_run(*columns: Column) -> None:
    """Raise AnotherRunError unless all columns were measured in one run."""
    runs = sorted({column.run_id for column in columns})
    if len(runs) > 1:
        raise AnotherRunError(
            f"these figures are of different runs ({', '.join(runs)}), so they cannot be compared:"
            " measure both in one run, for example with --against REV"
        )
