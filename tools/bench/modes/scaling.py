"""Several server processes against one: what an operation costs must stay nearly the same.

Where there are too few CPUs, one process shares its CPU with the load driver, and every CPU is
busy, which makes every process dearer whatever it does. As many services with a database each,
at the same time and on the same CPUs, show how much: several processes are compared with them.
"""

from dataclasses import replace

from tools.bench.machine.cores import Cores
from tools.bench.modes.mode import Bench, Judgement, Mode
from tools.bench.report.comparison import dearer, failure
from tools.bench.report.table import ratios_of
from tools.bench.service.variants import Variant

LIMIT = 1.1

_TOO_FEW = (
    "There are too few CPUs for that many processes and the load: one process shares its CPU with"
    " the load driver. So they are compared with as many services that have a database each, and"
    " the throughput is less than on a machine with one CPU more."
)


def mode(variant: Variant, processes: int) -> Mode:
    """Return one process, so many, and where CPUs are too few as many services."""
    one = replace(variant, name="1 process")
    variants = [one, replace(variant, name=f"{processes} processes", processes=processes)]
    if Cores.shared_out(processes).shared:
        variants.append(replace(one, name=f"{processes} services", services=processes))
    return Mode(variants, judge, latency=False)


def judge(bench: Bench) -> Judgement:
    """Fail every case that costs more than the limit; the throughput stands beside it."""
    one, several, *services = bench.columns
    base = services[0] if services else one
    text = [ratios_of(one, several), ratios_of(one, several, "per_second")]
    if services:
        text += [ratios_of(base, several), _TOO_FEW]
    failures = tuple(
        failure(base, several, found, LIMIT)
        for found in dearer(base, several, bench.options.cases, LIMIT)
    )
    return Judgement("\n\n".join(text), failures)
