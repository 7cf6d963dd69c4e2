"""Tests chosen by their ids, run in one session of pytest."""

import signal
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

import pytest
from _pytest.runner import pytest_sessionfinish, runtestprotocol

# A server for each mutant would take longer than the tests.
_OPTIONS = (
    *("-q", "-s", "-k", "not postgresql", "--numprocesses=0"),
    *("-p", "no:cacheprovider", "-p", "no:warnings"),
)
# Seconds, for one test. A mutant that never ends has been noticed too.
_PATIENCE = 60
_VARIANTS = 4


class Session:
    """A session whose tests have been collected."""

    def __init__(self, session: pytest.Session) -> None:
        self._session = session
        self._items = {
            item.nodeid: item for item in session.items if isinstance(item, pytest.Function)
        }

    @property
    def ids(self) -> list[str]:
        """Return the ids of the tests; of one that builds the application, a few parameters do."""
        variants = Counter[str]()
        ids = []
        for test, item in self._items.items():
            function = test.partition("[")[0]
            variants[function] += 1
            if variants[function] <= _VARIANTS or "make_app" not in item.fixturenames:
                ids.append(test)
        return ids

    def prepare(self) -> None:
        """Run the first test, so that what all tests share is there; raises if it fails."""
        first, other = self.ids[0], self.ids[-1]
        if not self._passes(first, other):
            raise RuntimeError(f"{first} fails without any mutant")

    def run(self, ids: Sequence[str]) -> Iterator[tuple[str, bool]]:
        """Run tests, and give the id of each and whether it passed."""
        for test, following in zip(ids, [*ids[1:], None], strict=True):
            yield test, self._passes(test, following)

    def fails(self, ids: Sequence[str]) -> bool:
        """Tell whether one of the tests fails; those after it do not run."""
        return not all(passed for _, passed in self.run(ids))

    def end(self) -> None:
        """Take down what the tests that ran have left for those after them."""
        pytest_sessionfinish(self._session)

    def _passes(self, test: str, following: str | None) -> bool:
        signal.alarm(_PATIENCE)
        next_item = None if following is None else self._items[following]
        reports = runtestprotocol(self._items[test], log=False, nextitem=next_item)
        signal.alarm(0)
        return not any(report.failed for report in reports)


def in_session(paths: Iterable[str], do: Callable[[Session], None]) -> int:
    """Collect the tests of some files or folders and do something with them.

    Returns pytest's exit status, which is not 0 when they cannot be collected.
    """
    return int(pytest.main([*_OPTIONS, *paths], plugins=[_Instead(do)]))


class _Instead:
    """A plugin that has something done instead of running all tests."""

    def __init__(self, do: Callable[[Session], None]) -> None:
        self._do = do

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Do it."""
        if session.testsfailed:
            raise session.Failed(f"{session.testsfailed} errors in the collection")
        self._do(Session(session))
        return True
