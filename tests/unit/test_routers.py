"""The routers that tests share: what one application leaves in a router does not reach the next."""

import pytest

from tests.helpers.applications import LOCAL
from tests.helpers.routers import Routers


@pytest.mark.engines("sqlite")
@pytest.mark.parametrize(
    "leave",
    [
        lambda registry: setattr(registry, "seen", True),
        lambda registry: setattr(registry, "admission", None),
        lambda registry: registry.settings.update(seen=True),
        lambda registry: registry.update(seen=True),
    ],
    ids=["an attribute", "another attribute", "a setting", "an item"],
)
def test_what_an_application_leaves_in_its_router_makes_its_test_fail(database_url, leave):
    routers = Routers({})
    app = routers.application(LOCAL | {"auth.database_url": database_url})
    routers.take_back(app)
    again = routers.application(LOCAL | {"auth.database_url": database_url})
    assert again is app

    leave(app.registry)

    with pytest.raises(AssertionError):
        routers.take_back(app)
