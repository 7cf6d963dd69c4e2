"""Which tests name what a mutant changes: of many that reach a line, they are likely to fail."""

import ast
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from tools.bench.service.checkouts import here

_WORD = re.compile(r"[a-z0-9_]{3,}")


class Wording:
    """The words of each test: those of its source, and again those of its id and parameters."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._words = {test: [*_words(source), *_words(test)] for test, source in sources.items()}
        self._number = Counter(word for words in self._words.values() for word in {*words})

    def naming(self, change: str) -> dict[str, float]:
        """Return how much of a change each test names: words that few tests have count more."""
        changed = _words(change)
        return {
            test: sum(1 / self._number[word] for word in words if word in changed)
            for test, words in self._words.items()
        }


def wording_of(tests: Iterable[str]) -> Wording:
    """Return that of tests of this checkout, given their ids."""
    return Wording({test: _source(test) for test in tests})


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def _source(test: str) -> str:
    path, _, rest = test.partition("::")
    return _functions(here().folder / path).get(rest.partition("[")[0].rpartition("::")[2], "")


@cache
def _functions(file: Path) -> dict[str, str]:
    """Return the source of each function of a file, its parameters with it."""
    tree = ast.parse(file.read_text("utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return {node.name: ast.unparse(node) for node in functions}
