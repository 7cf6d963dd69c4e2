"""Few people against a million: what an operation costs must not follow the size of the data."""

from dataclasses import replace

from bench import cleaning
from bench.comparison import dearer, failure
from bench.mode import Bench, Judgement, Mode
from bench.table import ratios_of
from bench.variants import Variant

SIZES = (1_000, 100_000, 1_000_000)
LIMIT = 1.3
# The caches of SQLite's connections fill up once and then stay as they are, so the two larger
# databases are compared; the smallest fits into them.
MEMORY_LIMIT = 1.1


def mode(variant: Variant) -> Mode:
    """Return one variant for each size."""
    return Mode([replace(variant, name=f"{users:,} users", users=users) for users in SIZES], judge)


def judge(bench: Bench) -> Judgement:
    """Fail every case that is dearer by more than the limit with the most people."""
    few, many, most = bench.columns
    failures = [
        failure(few, most, found, LIMIT) for found in dearer(few, most, bench.options.cases, LIMIT)
    ]
    before, after = (
        column.median_of_rounds(lambda each: each.memory_after) for column in (many, most)
    )
    if after > before * MEMORY_LIMIT:
        failures.append(
            f"memory grows with the data: {before / 1e6:.0f} MB with {many.name},"
            f" {after / 1e6:.0f} MB with {most.name}"
        )
    cleaned = cleaning.judge(bench.subjects[-1], bench.options.seconds)
    text = f"{ratios_of(few, most)}\n\n{cleaned.text}"
    return Judgement(text, (*failures, *cleaned.failures))
