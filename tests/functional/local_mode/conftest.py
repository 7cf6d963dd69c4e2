"""What tests of the control API share."""

import pytest

from tests.helpers.control import Control


@pytest.fixture
def control(app):
    """A program that has the token."""
    return Control(app)
