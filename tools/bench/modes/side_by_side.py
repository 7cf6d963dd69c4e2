"""The plain run: the service as shipped, and on SQLite with both ways of flushing a commit."""

from collections.abc import Iterable
from dataclasses import replace

from tools.bench.modes.mode import Bench, Judgement, Mode
from tools.bench.service.variants import Variant


def mode(variant: Variant, synchronous: Iterable[str]) -> Mode:
    """Return a column for each word of SQLite's, or one for PostgreSQL."""
    if variant.database == "postgresql":
        return Mode([replace(variant, name="PostgreSQL")], _nothing_to_judge)
    variants = [replace(variant, name=each, synchronous=each) for each in synchronous]
    return Mode(variants, _nothing_to_judge)


def _nothing_to_judge(_bench: Bench) -> Judgement:
    return Judgement("")
