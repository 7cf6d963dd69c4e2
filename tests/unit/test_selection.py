"""Which tests run on which engine: nothing that all of them have is out of every draw."""

from types import SimpleNamespace

import pytest

from authservice.web.routes import ROUTES
from tests.helpers import markers, selection

NUMBERS = range(200)


class Collected:
    """A test as pytest hands it over."""

    def __init__(self, nodeid, *marks, engine=None):
        self.nodeid = nodeid
        self.callspec = SimpleNamespace(params={"engine": engine}) if engine else None
        self._marks = {name: SimpleNamespace(args=args) for name, *args in marks}

    def get_closest_marker(self, name):
        return self._marks.get(name)

    def add_marker(self, mark):
        self._marks[mark.name] = mark


def config(**options):
    chosen = {"all": False, "engines": None, "eighth": None} | options
    return SimpleNamespace(option=SimpleNamespace(**chosen))


@pytest.mark.parametrize(
    ("folder", "marks", "names"),
    [
        ("functional", [], ["sqlite"]),
        ("unit", [], ["sqlite", "postgresql"]),
        ("races", [], ["sqlite", "postgresql"]),
        ("functional", [("story", "health")], ["sqlite", "postgresql"]),
        ("functional", [("attack", "x")], ["sqlite", "postgresql"]),
        ("behind_proxy", [("attack", "x")], ["sqlite"]),
        ("functional", [("engines", "postgresql")], ["postgresql"]),
        ("unit", [("engines", "sqlite")], ["sqlite"]),
    ],
)
def test_by_default_a_test_runs_where_the_engine_makes_a_difference(folder, marks, names):
    test = Collected(f"tests/{folder}/test_it.py::test_it", *marks)

    assert list(selection.engines_of(test, config())) == names


@pytest.mark.parametrize(
    ("marks", "names"),
    [([], ["sqlite", "postgresql"]), ([("engines", "sqlite")], ["sqlite"])],
)
def test_all_run_on_every_engine_that_they_are_about(marks, names):
    test = Collected("tests/functional/test_it.py::test_it", *marks)

    assert list(selection.engines_of(test, config(all=True))) == names


def repeat(number):
    nodeid = f"tests/functional/test_it.py::test_it[postgresql-{number}]"
    return Collected(nodeid, engine="postgresql")


def test_eight_commits_in_turn_run_every_repeat_once():
    for number in NUMBERS:
        drawn = [
            selection.is_selected(repeat(number), config(eighth=f"{commit:040x}"))
            for commit in range(8)
        ]

        assert drawn.count(True) == 1


def test_each_commit_runs_about_an_eighth_of_the_repeats():
    chosen = [selection.is_selected(repeat(number), config(eighth="c0ffee")) for number in NUMBERS]

    assert 10 <= chosen.count(True) <= 40


@pytest.mark.parametrize("commit", ["0", "1d5d82b"])
def test_whatever_the_commit_what_runs_by_default_runs(commit):
    sqlite = Collected("tests/functional/test_it.py::test_it[sqlite]", engine="sqlite")
    story = Collected("tests/a/b.py::c", ("story", "health"), engine="postgresql")
    none = Collected("tests/functional/test_it.py::test_none")

    assert all(selection.is_selected(each, config(eighth=commit)) for each in (sqlite, story, none))


def test_one_engine_alone_can_be_asked_for():
    chosen = config(engines="sqlite", all=True)

    assert not selection.is_selected(repeat(1), chosen)
    assert selection.is_selected(Collected("tests/unit/a.py::b[sqlite]", engine="sqlite"), chosen)
    assert selection.is_selected(Collected("tests/unit/a.py::b"), chosen)


def test_every_endpoint_has_a_story():
    assert sorted(markers.tests_by_id("story")) == sorted(route.name for route in ROUTES)


def test_only_what_a_browser_shows_gets_a_second_try():
    page, race = Collected("tests/pages/test_x.py::test"), Collected("tests/races/test_x.py::test")

    selection.try_browsers_again([page, race])

    assert page.get_closest_marker("flaky").kwargs == {"reruns": 1}
    assert race.get_closest_marker("flaky") is None
