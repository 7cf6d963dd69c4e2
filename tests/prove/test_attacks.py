"""The attacks as a part of the proof: a test that fails is a loss, or one that cannot run."""

from tools.prove import attacks

REPORT = """<?xml version="1.0" encoding="utf-8"?>
<testsuites name="pytest tests"><testsuite name="pytest" errors="1" failures="1" tests="4">
<testcase classname="tests.attacks.test_ssrf" name="test_in_vain" time="0.1" />
<testcase classname="tests.attacks.test_ssrf" name="test_with_success" time="0.1">
<failure message="assert False">...</failure></testcase>
<testcase classname="tests.attacks.test_ssrf" name="test_not_set_up" time="0.1">
<error message="failed on setup">...</error></testcase>
<testcase classname="tests.attacks.test_ssrf" name="test_left_out" time="0.1">
<skipped type="pytest.skip" message="chromium is missing">...</skipped></testcase>
</testsuite></testsuites>
"""


def test_each_that_succeeds_or_breaks_off_is_named(tmp_path):
    report = tmp_path / "report.xml"
    report.write_text(REPORT, "utf-8")

    outcome = attacks.judged(1, "", report)

    assert outcome.losses == [
        "tests.attacks.test_ssrf::test_with_success failed",
        "tests.attacks.test_ssrf::test_not_set_up failed",
    ]
    assert outcome.figures == [("tests of attacks", 3), ("left out", 1)]


def test_tests_that_do_not_run_are_a_loss(tmp_path):
    (loss,) = attacks.judged(4, "ERROR: file not found", tmp_path / "report.xml").losses

    assert loss == "the tests did not run: ERROR: file not found"
