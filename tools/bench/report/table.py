"""The tables of a run, as text."""

from collections.abc import Iterable, Sequence

from tools.bench.cases import CASES
from tools.bench.report.comparison import ratio, require_one_run
from tools.bench.report.figures import Column, Run

_NEAR_ITS_LIMIT = 0.8
_HEADINGS = (
    *("", "CPU µs", "[min..max]", "1/CPU", "database", "per s", "p50 ms", "p95 ms", "p99 ms"),
    *("disk kB", "driver"),
)


def text_of(run: Run) -> str:
    """Return everything that a person wants to see of a run."""
    require_one_run(*run.columns)
    parts = [_ran_on(run), *map(_column, run.columns)]
    failures = "\n".join(f"FAILED: {failure}" for failure in run.failures)
    parts += [run.conclusion, failures]
    return "\n\n".join(part for part in parts if part)


def ratios_of(base: Column, other: Column, figure: str = "cpu_us") -> str:
    """Return how much dearer each case is in one column than in another."""
    rows = [
        (CASES[case].title, str(ratio(base, other, case, figure)))
        for case in _measured(base)
        if base.values(case, figure)
    ]
    heading = f"{other.name} : {base.name}, {figure}"
    return "\n".join([heading, *aligned([("", "median [min..max] of the rounds"), *rows])])


def _ran_on(run: Run) -> str:
    facts = [(name, value) for name, value in run.ran_on.items()]
    return "\n".join([f"run {run.id}", *(f"{name:>14}  {value}" for name, value in facts)])


def _column(column: Column) -> str:
    facts = ", ".join(f"{name} {value}" for name, value in column.facts.items())
    rows = [_HEADINGS, *(_row(column, case) for case in _measured(column))]
    start = column.median_of_rounds(lambda each: each.start_seconds)
    before = column.median_of_rounds(lambda each: each.memory_at_start)
    after = column.median_of_rounds(lambda each: each.memory_after)
    ending = (
        f"first answer {start:.2f} s after the start;"
        f" memory {before / 1e6:.0f} MB at the start, {after / 1e6:.0f} MB after the load (PSS)"
    )
    return "\n".join([f"{column.name}: {facts}", *aligned(rows), ending])


def _row(column: Column, case: str) -> tuple[str, ...]:
    cpu = column.values(case, "cpu_us")
    median = column.median(case, "cpu_us") or 0.0
    driver = max(column.values(case, "driver_share"))
    return (
        CASES[case].title,
        f"{median:,.0f}",
        f"[{min(cpu):,.0f}..{max(cpu):,.0f}]",
        f"{1e6 / median:,.0f}" if median else "-",
        f"{column.median(case, 'database_cpu_us') or 0.0:,.0f}",
        f"{column.median(case, 'per_second') or 0.0:,.0f}",
        *(_milliseconds(column.median(case, name)) for name in ("p50_ms", "p95_ms", "p99_ms")),
        f"{(column.median(case, 'written_bytes') or 0.0) / 1e3:,.1f}",
        f"{driver:.0%}{' its limit' if driver > _NEAR_ITS_LIMIT else ''}",
    )


def _milliseconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def _measured(column: Column) -> list[str]:
    """Return the cases of a column in the order of the tables."""
    return [case for case in CASES if column.values(case, "cpu_us")]


def aligned(rows: Sequence[Sequence[str]]) -> Iterable[str]:
    """Yield the rows as lines: names to the left, figures to the right."""
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    for first, *others in rows:
        cells = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        yield "  ".join([first.ljust(widths[0]), *cells]).rstrip()
