"""Each module of each plan has its test, and no test stands for a module that is none."""

import ast
from pathlib import Path

import pytest

from tests.conformance import plans
from tests.conformance.plans import PLANS, State

FILES = {
    plans.BASIC: "basic_*",
    plans.FORM_POST: "basic_*",
    plans.CONFIG: "config",
    plans.RP_INITIATED_LOGOUT: "rp_initiated_logout",
    plans.BACKCHANNEL_LOGOUT: "backchannel_logout",
}


def _tests(pattern):
    """Return the tests named after modules, each with the names of its parameters."""
    return {
        node.name: {argument.arg for argument in node.args.args}
        for file in Path(__file__).parent.glob(f"test_{pattern}.py")
        for node in ast.parse(file.read_text()).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_oidcc_")
    }


@pytest.mark.parametrize("plan", PLANS)
def test_every_module_of_a_plan_has_its_test_and_no_other(plan):
    modules = [module for module in PLANS[plan] if module.state is not State.NOT_APPLICABLE]

    assert {module.test for module in modules} == set(_tests(FILES[plan]))


def test_the_modules_of_two_plans_run_in_both_response_modes():
    # The fixture of this name has one parameter for each of the two.
    assert all("suite" in parameters for parameters in _tests("basic_*").values())


@pytest.mark.parametrize(
    ("plan", "run"), [(plan, count) for plan, count in zip(PLANS, (35, 35, 1, 11, 2), strict=True)]
)
def test_as_many_modules_are_run_as_the_plan_has(plan, run):
    states = [module.state for module in PLANS[plan]]

    assert len(states) - states.count(State.NOT_APPLICABLE) == run


@pytest.mark.parametrize("plan", PLANS)
def test_whatever_is_not_simply_runnable_says_why(plan):
    for module in PLANS[plan]:
        assert bool(module.reason) == (module.state is not State.RUNNABLE), module.name
