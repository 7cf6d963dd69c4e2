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


def config(**options):
    chosen = {"all": False, "engines": None} | options
    return SimpleNamespace(option=SimpleNamespace(**chosen))


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
            test = Collected(f"tests/{folder}/test_it.py::test_it", *marks)

            assert list(selection.engines_of(test, config())) == names


@pytest.mark.parametrize(
    ("marks", "names"),
    [([], ["sqlite", "postgresql"]), ([("engines", "sqlite")], ["sqlite"])],
)
def test_all_run_on_every_engine_that_they_are_about(marks, names):
    test = Collected("tests/functional/test_it.py::test_it", *marks)

    assert list(selection.engines_of(test, config(all=True))) == names


def test_one_engine_alone_can_be_asked_for():
    chosen = config(engines="sqlite", all=True)

    repeat = Collected("tests/unit/a.py::b[postgresql]", engine="postgresql")
    assert not selection.is_selected(repeat, chosen)
    assert selection.is_selected(Collected("tests/unit/a.py::b[sqlite]", engine="sqlite"), chosen)
    assert selection.is_selected(Collected("tests/unit/a.py::b"), chosen)


def test_every_endpoint_has_a_story():
    assert sorted(markers.tests_by_id("story")) == sorted(route.name for route in ROUTES)
