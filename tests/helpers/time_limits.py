"""How long a test may take with all that it sets up: a minute, and two where a browser takes part.

With ``--all``, four for those that then do more than by default (``amount``).

pytest-timeout sees to it, and says where each thread stands. It gives up its timer when a test
fails, for the sake of debuggers, so what tidies up begins with a new one. Code that no signal
reaches ends with its process: pyproject.toml has pytest's own limit, above all others.
"""

import pytest

_WITH_A_BROWSER = pytest.mark.timeout(120)
_WITH_MORE_TO_DO = pytest.mark.timeout(240)
_BROWSERS = {"launch_chromium", "open_tab"}
_SETTINGS = pytest.StashKey()


@pytest.fixture
def amount(pytestconfig):
    """Return what chooses between how much a test does by default and how much with ``--all``."""
    return lambda by_default, of_all: of_all if pytestconfig.option.all else by_default


def pytest_collection_modifyitems(config, items):
    for item in items:
        if config.option.all and "amount" in item.fixturenames:
            item.add_marker(_WITH_MORE_TO_DO)
        if not _BROWSERS.isdisjoint(item.fixturenames):
            item.add_marker(_WITH_A_BROWSER)


@pytest.hookimpl(tryfirst=True)
def pytest_timeout_set_timer(item, settings):
    item.stash[_SETTINGS] = settings


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item):
    # Who debugs wants none.
    if settings := item.stash.get(_SETTINGS, None):
        item.ihook.pytest_timeout_set_timer(item=item, settings=settings)
    return (yield)
