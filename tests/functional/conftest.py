"""What tests share: running commands, and those on the other side of logouts and sign-ins."""

import pytest

from tests.helpers.commands import found_by_commands, printed  # noqa: F401  (fixtures)
from tests.helpers.logout_receiver import (  # noqa: F401  (fixtures)
    by_hand,
    receiver,
    teller,
    told_client,
)
from tests.helpers.published_keys import clients_of_all_algs  # noqa: F401  (fixture)
from tests.helpers.standin_fixture import (  # noqa: F401  (fixtures)
    identity_provider_process,
    identity_provider_standin,
    standin,
)


@pytest.fixture
def happened(caplog):
    """Return the events so far."""
    caplog.set_level("INFO", "authservice.events")
    return lambda: [record.event for record in caplog.records if hasattr(record, "event")]
