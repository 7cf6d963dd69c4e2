"""Which tests run in one process: those of one file on one engine, whose fixtures take a while."""

from xdist.scheduler import LoadScopeScheduling

from tests.helpers.engines import ENGINES


class ByFileAndEngine(LoadScopeScheduling):
    """Deals out files in the order in which they were collected: one engine after the other."""

    def remove_node(self, node):
        """Go on after a test that has ended its process, and so failed: xdist would repeat it."""
        units = self.assigned_work[node].values()
        tests = ((unit, test) for unit in units for test, is_done in unit.items() if not is_done)
        unit, crashed = next(tests, ({}, None))
        unit[crashed] = True
        super().remove_node(node)
        return crashed

    def _split_scope(self, nodeid):
        file, _, test = nodeid.partition("::")
        parameters = test.partition("[")[2]
        return " ".join([file, *(name for name in ENGINES if name in parameters)])
