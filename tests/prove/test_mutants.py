"""Mutation testing: what counts as caught, and whether what is changed is there."""

import tomllib

from tests.helpers.processes import ROOT
from tools.prove import mutants

CAUGHT = {f"caught {number}": "killed" for number in range(80)} | {"other": "not checked"}


def test_fewer_than_80_of_100_caught_are_a_loss():
    survived = {f"survived {number}": "survived" for number in range(19)}
    untested = {"untested": "no tests"}

    assert mutants.outcome(CAUGHT | survived | untested).losses == []
    (loss,) = mutants.outcome(CAUGHT | survived | untested | {"one more": "survived"}).losses

    assert loss == "79% of the mutants were caught, fewer than 80%"


def test_those_that_survive_are_named():
    results = CAUGHT | {"a": "survived", "b": "no tests", "c": "timeout"}

    assert mutants.survivors(results) == ["a", "b", "c"]


def test_what_is_changed_and_its_tests_are_there(subtests):
    content = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["mutmut"]
    for path in (
        *content["only_mutate"],
        *content["do_not_mutate"],
        *content["also_copy"],
        *content["pytest_add_cli_args_test_selection"],
    ):
        with subtests.test(path=path):
            assert (ROOT / path.removesuffix("*")).exists()
