"""Which tests reach which line of the sources."""

from collections import Counter, defaultdict
from itertools import chain

from tools.prove.mutants.operators import Mutant
from tools.prove.mutants.wording import Wording

# The lines of each file that a test reaches, by test and by file.
Reached = dict[str, dict[str, list[int]]]
# Tests for one mutant. What the best of those that reach its line let pass, others mostly do too.
_UNITS_AT_MOST = 150
_OTHERS_AT_MOST = 60


class Reach:
    """The lines of each file that each test reaches."""

    def __init__(self, lines: Reached, wording: Wording) -> None:
        self._lines: dict[str, dict[str, set[int]]] = defaultdict(dict)
        self._all = {test: sum(map(len, files.values())) for test, files in lines.items()}
        self._wording = wording
        for test, files in lines.items():
            for path, reached in files.items():
                self._lines[path][test] = set(reached)

    def tests_of(self, mutant: Mutant) -> list[str]:
        """Return the tests that reach a mutant, the likeliest to fail first.

        Unit tests are quick and come before all others. Among either, those that name what is
        changed, those of whose lines most are in the mutant's file, and those that reach least of
        all take turns. A line that no test reaches is read on import.
        """
        tests = self._lines[mutant.path]
        reaching = (
            [test for test, lines in tests.items() if mutant.line in lines]
            or [test for test, lines in tests.items() if mutant.statement in lines]
            or [test for test, lines in tests.items() if mutant.readers & lines]
            or list(tests)
        )
        units = [test for test in reaching if test.startswith("tests/unit/")]
        others = [test for test in reaching if not test.startswith("tests/unit/")]
        return [
            *self._likeliest(units, mutant)[:_UNITS_AT_MOST],
            *self._likeliest(others, mutant)[:_OTHERS_AT_MOST],
        ]

    def _likeliest(self, tests: list[str], mutant: Mutant) -> list[str]:
        """Return tests of each kind in turn."""
        lines = self._lines[mutant.path]
        named = self._wording.naming(mutant.change.partition(" -> ")[0])
        devoted = _of_all_functions(
            sorted(tests, key=lambda test: (-len(lines[test]) / self._all[test], test))
        )
        simple = _of_all_functions(sorted(tests, key=lambda test: (self._all[test], test)))
        naming = sorted(devoted, key=lambda test: -named.get(test, 0))
        return list(dict.fromkeys(chain.from_iterable(zip(naming, devoted, simple, strict=True))))


def _of_all_functions(tests: list[str]) -> list[str]:
    """Return tests with other parameters of a function after the rest."""
    before = Counter[str]()
    turns = {}
    for test in tests:
        function = test.partition("[")[0]
        turns[test] = before[function]
        before[function] += 1
    return sorted(tests, key=lambda test: turns[test])
