"""Several server processes against one: what an operation costs must stay nearly the same.

Where there are too few CPUs, one of several processes shares its CPU with the load driver, which
makes it dearer by itself. What one process costs is measured there too then, and several are
compared with the average of both places.
"""

import statistics
from dataclasses import replace

from bench.comparison import dearer, failure, require_one_run
from bench.cores import Cores
from bench.figures import Column, Figures
from bench.mode import Bench, Judgement, Mode
from bench.table import ratios_of
from bench.variants import Variant

LIMIT = 1.1

_TOO_FEW = (
    "There are too few CPUs for that many processes and the load: one process shares its CPU with"
    " the load driver. The throughput is less than on a machine with one CPU more."
)


def mode(variant: Variant, processes: int) -> Mode:
    """Return one process, so many, and where CPUs are too few one beside the load."""
    one = replace(variant, name="1 process")
    variants = [one, replace(variant, name=f"{processes} processes", processes=processes)]
    if Cores.shared_out(processes).shared:
        variants.append(replace(one, name="1 process beside the load", beside_the_load=True))
    return Mode(variants, judge, latency=False)


def judge(bench: Bench) -> Judgement:
    """Fail every case that costs more than the limit; the throughput stands beside it."""
    one, several, *beside = bench.columns
    base = average(one, *beside)
    text = [ratios_of(base, several), ratios_of(one, several, "per_second")]
    if beside:
        text.append(_TOO_FEW)
    failures = tuple(
        failure(base, several, found, LIMIT)
        for found in dearer(base, several, bench.options.cases, LIMIT)
    )
    return Judgement("\n\n".join(text), failures)


def average(first: Column, *others: Column) -> Column:
    """Return the first column, with the CPU time of each case averaged over all, round by round."""
    require_one_run(first, *others)
    if not others:
        return first

    def averaged(number: int, case: str, figures: Figures) -> Figures:
        costs = [column.rounds[number].cases[case].cpu_us for column in (first, *others)]
        return replace(figures, cpu_us=statistics.mean(costs))

    rounds = [
        replace(
            each,
            cases={case: averaged(number, case, found) for case, found in each.cases.items()},
        )
        for number, each in enumerate(first.rounds)
    ]
    return replace(first, name=f"{first.name} on average", rounds=rounds)
