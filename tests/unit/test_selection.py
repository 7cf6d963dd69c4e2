"""Which tests run on which engine."""

from types import SimpleNamespace

import pytest

from authservice.web.routes import ROUTES
from tests.helpers import markers, selection


class Collected:
    """A test as pytest hands it over."""

    def __init__(self, nodeid, *marks, engine=None):
        self.nodeid = nodeid
        self.callspec = SimpleNamespace(params={"engine": engine}) if engine else None
        self._marks = {name: SimpleNamespace(args=args) for name, *args in marks}

    def get_closest_marker(self, name):
        return self._marks.get(name)


def run_of(test, *marks, paths=("tests",), **options):
    """Return the engines on which a test runs; one that needs none has None."""
    chosen = {"all": False, "engines": None} | options
    config = SimpleNamespace(option=SimpleNamespace(**chosen), args=paths)
    nodeid = f"tests/{test}/test_it.py::test_it"
    names = selection.engines_of(Collected(nodeid, *marks))
    return [
        engine
        for engine in (None, *names)
        if selection.is_selected(Collected(nodeid, *marks, engine=engine), config)
    ]


def test_by_default_a_test_runs_where_the_engine_makes_a_difference(subtests):
    for folder, marks, names in (
        ("functional", [], ["sqlite"]),
        ("unit", [], ["sqlite", "postgresql"]),
        ("races", [], ["sqlite", "postgresql"]),
        ("functional", [("story", "health")], ["sqlite", "postgresql"]),
        ("attacks", [("attack", "x")], ["sqlite"]),
        ("functional", [("engines", "postgresql")], ["postgresql"]),
        ("unit", [("engines", "sqlite")], ["sqlite"]),
    ):
        with subtests.test(folder=folder, marks=marks, names=names):
            assert run_of(folder, *marks) == [None, *names]


@pytest.mark.parametrize(
    ("marks", "names"),
    [([], ["sqlite", "postgresql"]), ([("engines", "sqlite")], ["sqlite"])],
)
def test_all_run_on_every_engine_that_they_are_about(marks, names):
    assert run_of("functional", *marks, all=True) == [None, *names]


def test_one_engine_alone_can_be_asked_for():
    assert run_of("unit", engines="sqlite", all=True) == [None, "sqlite"]


def test_what_needs_images_or_measures_runs_when_it_is_named(subtests):
    for folder, named in (
        ("image", "tests/image/test_compose.py::test_it"),
        ("bench/runs", "tests/bench/runs"),
    ):
        with subtests.test(folder=folder):
            assert run_of(folder, all=True) == []
            assert run_of(folder, paths=["tests/bench", "tests/unit"]) == []
            assert run_of(folder, paths=["tests/unit", named]) == [None, "sqlite"]


def test_every_endpoint_has_a_story():
    assert sorted(markers.tests_by_id("story")) == sorted(route.name for route in ROUTES)
