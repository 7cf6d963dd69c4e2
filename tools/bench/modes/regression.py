"""The checkout against another commit: no case may have become 15 % dearer."""

from dataclasses import replace

from tools.bench.modes.mode import Bench, Judgement, Mode
from tools.bench.report.comparison import dearer, failure
from tools.bench.report.table import ratios_of
from tools.bench.service.checkouts import Checkout
from tools.bench.service.variants import Variant

LIMIT = 1.15


def mode(variant: Variant, earlier: Checkout) -> Mode:
    """Return the earlier commit and this one. Latency is not compared, so it is not measured."""
    current = variant.checkout.revision
    name = f"{earlier.revision} again" if earlier.revision == current else earlier.revision
    variants = [replace(variant, name=name, checkout=earlier), replace(variant, name=current)]
    return Mode(variants, judge, latency=False)


def judge(bench: Bench) -> Judgement:
    """Fail every case that is dearer by more than the limit, also when measured once more.

    What counts is the median over pairs of rounds. A suspicious case is measured for as many
    rounds again, since one disturbance of the machine must not fail a release.
    """
    earlier, current = bench.columns
    suspicious = [found.case for found in dearer(earlier, current, bench.options.cases, LIMIT)]
    if suspicious:
        bench.play(suspicious)
    failures = tuple(
        failure(earlier, current, found, LIMIT)
        for found in dearer(earlier, current, suspicious, LIMIT)
    )
    return Judgement(ratios_of(earlier, current), failures)
