"""What tests lack: installed in CI or they fail; what cannot be installed is said at the end."""

from types import SimpleNamespace

import pytest

from tests.helpers import parts


@pytest.mark.parametrize(("ci", "outcome"), [("true", pytest.fail), ("", pytest.skip)])
def test_what_can_be_installed_is_installed_in_ci(monkeypatch, ci, outcome):
    monkeypatch.setenv("CI", ci)

    with pytest.raises(outcome.Exception, match=r"x is missing; as root: apt-get install y"):
        parts.missing("x", "as root: apt-get install y")


def test_what_a_machine_lacks_is_said_once(monkeypatch):
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.skip.Exception) as caught:
        parts.machine_lacks("wings")
    left_out = SimpleNamespace(longrepr=("file.py", 1, f"Skipped: {caught.value.msg}"))
    other = SimpleNamespace(longrepr=("file.py", 1, "Skipped: x is missing"))

    said = parts.what_the_machine_lacks([left_out, other, left_out])

    assert said == ["2 left out: this machine lacks wings"]
