"""Which tests run: on which engine by default, or on every one.

All are collected, with all engines, so that a run notices when one of them no longer can be.

Where SQL, locks or migrations can differ, a test runs on every engine. Elsewhere the engine makes
no difference of its own: SQLite stands for both, and the story of each endpoint is told on both.
"""

from tests.helpers.engines import ENGINES

_DIFFERENT = {"races", "stateful", "unit", "upgrades"}
_MARKED = {"engines", "story"}
# They need images that have been built, or measure for seconds each: who runs them names them.
_NAMED = ("tests/bench/runs", "tests/image")


def add_options(parser):
    """Add the options of ``./run test``."""
    group = parser.getgroup("engines")
    group.addoption("--all", action="store_true", help="run every test on every engine")
    group.addoption("--engines", choices=ENGINES, help="run tests on this engine only")


def engines_of(test):
    """Return the engines with which a test is collected."""
    marker = test.get_closest_marker("engines")
    return marker.args if marker else ENGINES


def is_selected(item, config):
    """Tell whether a test that was collected runs."""
    if any(
        item.nodeid.startswith(f"{folder}/") and not _names(config, folder) for folder in _NAMED
    ):
        return False
    engine = _engine_of(item)
    if engine is None:
        return True
    wanted = engines_of(item) if config.option.all else _by_default(item)
    return engine in wanted and config.option.engines in {None, engine}


def _names(config, folder):
    return any(folder in argument for argument in config.args)


def _by_default(item):
    folder = item.nodeid.split("/")[1]
    if folder in _DIFFERENT or any(item.get_closest_marker(name) for name in _MARKED):
        return engines_of(item)
    return ENGINES[:1]


def _engine_of(item):
    callspec = getattr(item, "callspec", None)
    return callspec.params.get("engine") if callspec else None
