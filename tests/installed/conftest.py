"""What tests of the installed programs share with those that call their functions."""

from tests.functional.conftest import (  # noqa: F401  (fixtures)
    by_hand,
    found_by_commands,
    identity_provider_process,
    identity_provider_standin,
    printed,
    receiver,
    standin,
    teller,
    told_client,
)
