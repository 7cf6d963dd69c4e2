"""The checkout against another commit: no case may have become 15 % dearer."""

from collections.abc import Sequence
from dataclasses import replace

from bench.checkouts import Checkout
from bench.comparison import Ratio, ratio
from bench.mode import Bench, Judgement, Mode
from bench.table import ratios_of
from bench.variants import Variant

LIMIT = 1.15


def mode(variant: Variant, earlier: Checkout) -> Mode:
    """Return the earlier commit and this one. Latency is not compared, so it is not measured."""
    name = earlier.revision
    if name == variant.checkout.revision:
        name = f"{name} again"
    variants = [
        replace(variant, name=name, checkout=earlier),
        replace(variant, name=variant.checkout.revision),
    ]
    return Mode(variants, judge, latency=False)


def judge(bench: Bench) -> Judgement:
    """Fail every case that is dearer by more than the limit, also when measured once more.

    What counts is the median over pairs of rounds. A suspicious case is measured for as many
    rounds again, since one disturbance of the machine must not fail a release.
    """
    suspicious = _dearer(bench, bench.options.cases)
    if suspicious:
        bench.play([found.case for found in suspicious])
    failures = [
        f"{found.case} takes {found} times the CPU time of {bench.columns[0].name};"
        f" the limit is {LIMIT}"
        for found in _dearer(bench, [found.case for found in suspicious])
    ]
    earlier, current = bench.columns
    return Judgement(ratios_of(earlier, current), tuple(failures))


def _dearer(bench: Bench, cases: Sequence[str]) -> list[Ratio]:
    earlier, current = bench.columns
    ratios = [ratio(earlier, current, case) for case in cases]
    return [found for found in ratios if found.median > LIMIT]
