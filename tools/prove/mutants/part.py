"""A sample of the mutants, or all, each with the tests that reach its line; most must be caught."""

import random
import sys
from collections.abc import Sequence

from tools.bench.service.checkouts import here
from tools.prove.mutants.operators import Mutant, mutants
from tools.prove.mutants.subjects import SOURCES, TESTS
from tools.prove.mutants.workers import at_work, reach_of, survivors
from tools.prove.outcome import Extent, Outcome

_SAMPLE: dict[Extent, int | None] = {"brief": 2, "quick": 150, "long": None}
_LEAST = 0.85
# Where little is wanted: one module and its tests.
_BRIEF_SOURCES = ("authservice/services/clients/redirect_uris.py",)
_BRIEF_TESTS = ("tests/unit/services/test_redirect_uris.py",)


def try_out(extent: Extent) -> Outcome:
    """Try mutants until the sample is through."""
    seed = random.SystemRandom().randrange(10**9)
    sys.stdout.write(f"  seed {seed}\n")
    brief = extent == "brief"
    everything = all_mutants(_BRIEF_SOURCES if brief else SOURCES)
    number = _SAMPLE[extent] or len(everything)
    drawn = random.Random(seed).sample(everything, number)
    alive = survivors_among(drawn, _BRIEF_TESTS if brief else TESTS)
    for mutant in alive:
        sys.stdout.write(f"  survived: {mutant.path}:{mutant.line}: {mutant.change}\n")
    caught = (len(drawn) - len(alive)) / len(drawn)
    losses = []
    if caught < _LEAST:
        losses.append(f"{caught:.0%} of the mutants were caught, fewer than {_LEAST:.0%}")
    figures: list[tuple[str, int | float | str]] = [
        ("mutants", len(drawn)),
        ("of all", len(everything)),
        ("% caught", 100 * caught),
    ]
    return Outcome("mutants", figures, [] if brief else losses)


def all_mutants(sources: Sequence[str]) -> list[Mutant]:
    """Return the mutants of some files of this checkout."""
    return [
        mutant
        for path in sources
        for mutant in mutants(path, (here().folder / path).read_text("utf-8"))
    ]


def survivors_among(drawn: Sequence[Mutant], tests: Sequence[str]) -> list[Mutant]:
    """Return which of some mutants the tests do not catch; raises RuntimeError if tests fail."""
    with at_work(tests) as pairs:
        reach = reach_of(pairs)
        pairs[0].require_that_tests_pass(drawn[0].path, reach.tests_of(drawn[0])[:3])
        return survivors(pairs, drawn, reach)
