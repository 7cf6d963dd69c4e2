"""The plain run: the service as shipped, and on SQLite with both ways of flushing a commit.

What a proxy asks for each request to an application may cost hardly more than a session check.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import product

from tools.bench.modes.mode import Bench, Judgement, Mode
from tools.bench.report.comparison import ratio_of_cases
from tools.bench.service.variants import Variant

LIMIT = 1.1
_BASE = "session"
_OTHERS = ("forward", "auth-request")


def mode(variant: Variant, synchronous: Iterable[str]) -> Mode:
    """Return a column for each word of SQLite's, or one for PostgreSQL."""
    if variant.database == "postgresql":
        return Mode([replace(variant, name="PostgreSQL")], judge)
    variants = [replace(variant, name=each, synchronous=each) for each in synchronous]
    return Mode(variants, judge)


def judge(bench: Bench) -> Judgement:
    """Fail forward authentication that is dearer than it may be, where both were measured."""
    if _BASE not in bench.options.cases:
        return Judgement("")
    return Judgement("", tuple(_failures(bench)))


def _failures(bench: Bench) -> Iterator[str]:
    others = [case for case in _OTHERS if case in bench.options.cases]
    for column, other in product(bench.columns, others):
        found = ratio_of_cases(column, _BASE, other)
        if found.median > LIMIT:
            yield (
                f"{other} takes {found} times as much CPU time as {_BASE} with {column.name};"
                f" the limit is {LIMIT}"
            )
