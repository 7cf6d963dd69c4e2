"""The identity provider, for the one answer that local mode does not give."""

from tests.helpers.standin_fixture import (  # noqa: F401  (fixtures)
    identity_provider_process,
    identity_provider_standin,
    standin,
)
