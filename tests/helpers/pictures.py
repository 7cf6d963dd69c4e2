"""Pictures of the pages, for people to look at: ``./run test tests/pages --pictures``."""

import pytest

from tests.helpers.processes import ROOT

_FOLDER = ROOT / "test-results"


def add_option(parser):
    """Add the option of ``./run test``."""
    parser.addoption(
        "--pictures", action="store_true", help=f"leave pictures of pages in {_FOLDER.name}"
    )


@pytest.fixture
def keep_picture(request):
    """Leave a picture of a whole page under a name, if pictures were requested."""

    def keep(tab, name):
        if request.config.option.pictures:
            file = _FOLDER / request.path.parent.name / f"{name}.png"
            tab.screenshot(path=file, full_page=True)

    return keep
