"""Which tests run in one process: those of one file on one engine, whose fixtures take a while."""

from xdist.scheduler import LoadScopeScheduling

from tests.helpers.engines import ENGINES


class ByFileAndEngine(LoadScopeScheduling):
    """Deals out files in the order in which they were collected: one engine after the other."""

    def _split_scope(self, nodeid):
        file, _, test = nodeid.partition("::")
        parameters = test.partition("[")[2]
        return " ".join([file, *(name for name in ENGINES if name in parameters)])
