"""Pictures of the pages, kept among the results of the tests for people to look at."""

from tests.helpers.pictures import take
from tests.helpers.processes import ROOT

FOLDER = ROOT / "test-results" / "pages"


def keep(tab, name):
    """Leave a picture of the whole page."""
    take(tab, FOLDER / f"{name}.png", full_page=True)
