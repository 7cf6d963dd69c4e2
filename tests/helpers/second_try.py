"""What fails in a parallel run runs once more, and the report names it; but not every test.

pytest-rerunfailures does it, as ``./run test`` says. What looks for rare faults gets no second try.
"""

import pytest

_LOOK_FOR_RARE_FAULTS = {"attacks", "races", "stateful"}
_NONE = pytest.mark.flaky(reruns=0)


def pytest_collection_modifyitems(items):
    for item in items:
        folders = item.nodeid.partition("::")[0].split("/")
        if "attack" in item.keywords or not _LOOK_FOR_RARE_FAULTS.isdisjoint(folders):
            item.add_marker(_NONE)
