"""Which tests reach which line of the sources."""

from collections import Counter, defaultdict

from prove.mutants.operators import Mutant

# The lines of each file that a test reaches, by test and by file.
Reached = dict[str, dict[str, list[int]]]
# Tests for one mutant. What the best of those that reach its line let pass, others mostly do too.
_UNITS_AT_MOST = 150
_OTHERS_AT_MOST = 40


class Reach:
    """The lines of each file that each test reaches."""

    def __init__(self, lines: Reached) -> None:
        """Take them by test and by file."""
        self._lines: dict[str, dict[str, set[int]]] = defaultdict(dict)
        self._all = {test: sum(map(len, files.values())) for test, files in lines.items()}
        for test, files in lines.items():
            for path, reached in files.items():
                self._lines[path][test] = set(reached)

    def tests_of(self, mutant: Mutant) -> list[str]:
        """Return the tests that reach a mutant, the likeliest to fail first.

        Unit tests are quick and come before all others. Among either, those come first of whose
        lines most are in the mutant's file, of different test functions in turn. A line that no
        test reaches is read on import.
        """
        tests = self._lines[mutant.path]
        reaching = (
            [test for test, lines in tests.items() if mutant.line in lines]
            or [test for test, lines in tests.items() if mutant.statement in lines]
            or [test for test, lines in tests.items() if mutant.readers & lines]
            or list(tests)
        )
        reaching.sort(key=lambda test: (-len(tests[test]) / self._all[test], test))
        units = [test for test in reaching if test.startswith("tests/unit/")]
        others = [test for test in reaching if not test.startswith("tests/unit/")]
        return _in_turn(units)[:_UNITS_AT_MOST] + _in_turn(others)[:_OTHERS_AT_MOST]


def _in_turn(tests: list[str]) -> list[str]:
    """Return tests so that no function is there with more parameters before all others are."""
    before = Counter[str]()
    turns = {}
    for test in tests:
        function = test.partition("[")[0]
        turns[test] = before[function]
        before[function] += 1
    return sorted(tests, key=lambda test: turns[test])
