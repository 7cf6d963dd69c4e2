"""Real servers, whose processes count for the coverage, and connections to them."""

import pytest

from tests.helpers.connections import connect  # noqa: F401  (a fixture)
from tests.helpers.processes import ROOT, stopped_in_the_end  # noqa: F401  (a fixture)


@pytest.fixture(scope="module", autouse=True)
def _measured_servers(request):
    """What serves runs in processes of its own alone: with ``--cov`` those are measured too."""
    with pytest.MonkeyPatch.context() as patch:
        if request.config.pluginmanager.hasplugin("_cov"):
            patch.setenv("COVERAGE_PROCESS_START", str(ROOT / "tests/serving/coverage.toml"))
            patch.setenv("COVERAGE_FILE", str(ROOT / ".coverage"))
        yield
