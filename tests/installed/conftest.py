"""What tests of the installed programs share with those that call their functions."""

from tests.helpers.commands import found_by_commands, printed  # noqa: F401  (fixtures)
from tests.helpers.logout_receiver import (  # noqa: F401  (fixtures)
    by_hand,
    receiver,
    teller,
    told_client,
)
from tests.helpers.standin_fixture import (  # noqa: F401  (fixtures)
    identity_provider_process,
    identity_provider_standin,
    standin,
)
