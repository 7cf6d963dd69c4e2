"""The provider under test, talking to the stand-in over real HTTP."""

import pytest

from tests.helpers.provider_sign_in import SignIn
from tests.helpers.standin_fixture import (  # noqa: F401  (fixtures)
    identity_provider_process,
    identity_provider_standin,
)


@pytest.fixture
def make_sign_in(identity_provider_standin):  # noqa: F811
    return lambda **changes: SignIn(identity_provider_standin, **changes)


@pytest.fixture
def sign_in(make_sign_in):
    return make_sign_in()
