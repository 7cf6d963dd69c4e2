"""Which tests run: on which engine by default, or on every one.

Where SQL, locks or migrations can differ, a test runs on every engine. Elsewhere the engine makes
no difference of its own: SQLite stands for both, and the story of each endpoint is told on both.
"""

from tests.helpers.engines import ENGINES

_DIFFERENT = {"races", "stateful", "unit", "upgrades"}
_MARKED = {"engines", "story"}


def add_options(parser):
    """Add the options of ``./run test``."""
    group = parser.getgroup("engines")
    group.addoption("--all", action="store_true", help="run every test on every engine")
    group.addoption("--engines", choices=ENGINES, help="run tests on this engine only")


def engines_of(test, config):
    """Return the engines on which a test is collected."""
    return _wanted(test) if config.option.all else _by_default(test)


def is_selected(item, config):
    """Tell whether a test that was collected runs."""
    engine = _engine_of(item)
    return not config.option.engines or engine in {None, config.option.engines}


def _wanted(test):
    marker = _marker(test, "engines")
    return marker.args if marker else ENGINES


def _by_default(test):
    if _folder(test) in _DIFFERENT or any(_marker(test, name) for name in _MARKED):
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
