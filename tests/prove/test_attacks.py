"""The attacks as a part of the proof: a test that fails is a loss, or one that cannot run."""

from prove import attacks
from prove.parts import PARTS

SUCCESSFUL = """
import pytest

@pytest.mark.attack("BROWSER-ssrf")
def test_an_attack_that_succeeds():
    assert False
"""


def test_no_attack_succeeds():
    outcome = PARTS["attacks"]("brief")

    assert outcome.losses == []
    assert dict(outcome.figures)["tests of attacks"] >= 10


def test_one_that_succeeds_is_named(tmp_path):
    file = tmp_path / "test_it.py"
    file.write_text(SUCCESSFUL, "utf-8")

    outcome = attacks.run([str(file)], [])

    (loss,) = outcome.losses
    assert "test_an_attack_that_succeeds failed" in loss


def test_tests_that_do_not_run_are_a_loss():
    (loss,) = attacks.run(["tests/nowhere"], []).losses

    assert loss.startswith("the tests did not run")
