"""Several server processes against one: what an operation costs must stay nearly the same."""

from dataclasses import replace

from bench.comparison import dearer, failure
from bench.mode import Bench, Judgement, Mode
from bench.table import ratios_of
from bench.variants import Variant

LIMIT = 1.1


def mode(variant: Variant, processes: int) -> Mode:
    """Return one process, and so many."""
    variants = [
        replace(variant, name="1 process", processes=1),
        replace(variant, name=f"{processes} processes", processes=processes),
    ]
    return Mode(variants, judge, latency=False)


def judge(bench: Bench) -> Judgement:
    """Fail every case that costs more than the limit; the throughput stands beside it."""
    one, several = bench.columns
    text = [ratios_of(one, several), ratios_of(one, several, "per_second")]
    if bench.subjects[1].deployment.cores.shared:
        text.append(
            "There are too few CPUs for that many processes and the load: one process shares its"
            " CPU with the load driver. That costs it more than on a machine with one CPU more, and"
            " the throughput is less."
        )
    failures = tuple(
        failure(one, several, found, LIMIT)
        for found in dearer(one, several, bench.options.cases, LIMIT)
    )
    return Judgement("\n\n".join(text), failures)
