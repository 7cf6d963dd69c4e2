"""How long a test may take with all that it sets up: a minute, and two where a browser takes part.

pytest-timeout sees to it, and says where each thread stands. It gives up its timer when a test
fails, for the sake of debuggers, so what tidies up begins with a new one. Code that no signal
reaches ends with its process: pyproject.toml has pytest's own limit, above all others.
"""

import pytest

_WITH_A_BROWSER = pytest.mark.timeout(120)
_BROWSERS = {"launch_chromium", "open_tab"}
_SETTINGS = pytest.StashKey()


def pytest_collection_modifyitems(items):
    for item in items:
        if not _BROWSERS.isdisjoint(item.fixturenames):
            item.add_marker(_WITH_A_BROWSER)


@pytest.hookimpl(tryfirst=True)
def pytest_timeout_set_timer(item, settings):
    item.stash[_SETTINGS] = settings


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item):
    # Who debugs has asked for none.
    if settings := item.stash.get(_SETTINGS, None):
        item.ihook.pytest_timeout_set_timer(item=item, settings=settings)
    return (yield)
