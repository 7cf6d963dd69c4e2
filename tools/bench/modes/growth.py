"""Few people against a million: what an operation costs must not follow the size of the data."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from tools.bench.modes.mode import Bench, Judgement, Mode
from tools.bench.report.comparison import dearer, failure
from tools.bench.report.figures import Column
from tools.bench.report.table import ratios_of
from tools.bench.service.variants import Variant

SIZES = (1_000, 100_000, 1_000_000)
LIMIT = 1.3
# The caches of SQLite's connections fill up once and then stay as they are, so the two larger
# databases are compared; the smallest fits into them.
MEMORY_LIMIT = 1.1


def mode(variant: Variant) -> Mode:
    """Return one variant for each size."""
    return Mode([replace(variant, name=f"{users:,} users", users=users) for users in SIZES], judge)


def judge(bench: Bench) -> Judgement:
    """Fail what grows with the number of people."""
    ratios = ratios_of(bench.columns[0], bench.columns[-1])
    return Judgement(ratios, tuple(growing(bench.columns, bench.options.cases)))


def growing(columns: Sequence[Column], cases: Iterable[str]) -> list[str]:
    """Return what takes more of CPU or memory with the most people than it may."""
    few, *_, many, most = columns
    found = [failure(few, most, each, LIMIT) for each in dearer(few, most, cases, LIMIT)]
    before, after = (
        column.median_of_rounds(lambda each: each.memory_after) for column in (many, most)
    )
    if after > before * MEMORY_LIMIT:
        found.append(
            f"memory grows with the data: {before / 1e6:.0f} MB with {many.name},"
            f" {after / 1e6:.0f} MB with {most.name}"
        )
    return found
