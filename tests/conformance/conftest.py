"""The suite in front of an application whose issuer is https, as the plans demand."""

import pytest

from tests.conformance.plans import RESPONSE_MODES
from tests.conformance.suite import ORIGIN, Suite


@pytest.fixture
def conforming_app(make_app, turnable_clock):
    return make_app(auth__url=ORIGIN)


@pytest.fixture(params=RESPONSE_MODES.values(), ids=RESPONSE_MODES)
def suite(request, conforming_app, database, turnable_clock):
    """A module of the Basic plan, and once more of the Form Post plan."""
    return Suite(conforming_app, database, turnable_clock, request.param)


@pytest.fixture
def plain_suite(conforming_app, database, turnable_clock):
    """A module of a plan that leaves the response mode alone."""
    return Suite(conforming_app, database, turnable_clock)
