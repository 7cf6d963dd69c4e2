"""Which tests run: on which engine by default, on every one, or by chance.

Where SQL, locks or migrations can differ, a test runs on every engine. Elsewhere the engine makes
no difference of its own: SQLite stands for both, and the story of each endpoint is told on both.
"""

import hashlib

import pytest

from tests.helpers.engines import ENGINES

_DIFFERENT = {"attacks", "races", "stateful", "unit", "upgrades"}
_MARKED = {"engines", "story"}
# Elsewhere it goes through servers of its own, which start slowly and know nothing of SQL.
_ATTACKED_ON_BOTH = {"functional", "installed"}
_PARTS = 8
# A browser on a busy machine drops a request or a picture at times. What fails twice is a fault.
_BROWSERS = {"pages"}


def add_options(parser):
    """Add the options of ``./run test``."""
    group = parser.getgroup("engines")
    group.addoption("--all", action="store_true", help="run every test on every engine")
    group.addoption("--engines", choices=ENGINES, help="run tests on this engine only")
    group.addoption(
        "--eighth",
        metavar="COMMIT",
        help="run an eighth of what --all has beyond the default too; the commit says which",
    )


def engines_of(test, config):
    """Return the engines on which a test is collected."""
    beyond = config.option.all or config.option.eighth
    return _wanted(test) if beyond else _by_default(test)


def is_selected(item, config):
    """Tell whether a test that was collected runs."""
    engine = _engine_of(item)
    if config.option.engines and engine not in {None, config.option.engines}:
        return False
    beyond = engine is not None and engine not in _by_default(item)
    if beyond and config.option.eighth:
        return _part(item.nodeid) == int(config.option.eighth, 16) % _PARTS
    return True


def try_browsers_again(items):
    """Let a test of a browser that fails run once more; the report counts it as a rerun."""
    for item in items:
        if _folder(item) in _BROWSERS:
            item.add_marker(pytest.mark.flaky(reruns=1))


def _wanted(test):
    marker = _marker(test, "engines")
    return marker.args if marker else ENGINES


def _by_default(test):
    folder = _folder(test)
    attack = folder in _ATTACKED_ON_BOTH and _marker(test, "attack")
    if folder in _DIFFERENT or attack or any(_marker(test, name) for name in _MARKED):
        return _wanted(test)
    return ENGINES[:1]


def _marker(test, name):
    # A function while it is parametrized, later an item.
    return getattr(test, "definition", test).get_closest_marker(name)


def _folder(test):
    return getattr(test, "definition", test).nodeid.split("/")[1]


def _engine_of(item):
    callspec = getattr(item, "callspec", None)
    return callspec.params.get("engine") if callspec else None


def _part(nodeid):
    # Python's own hash of a text differs from one process to another.
    return hashlib.sha256(nodeid.encode()).digest()[0] % _PARTS
