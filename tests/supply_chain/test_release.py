"""What a release does not do without."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
WORKFLOWS = ROOT / ".github" / "workflows"
WORKFLOW = (WORKFLOWS / "release.yml").read_text("utf-8")


def test_known_vulnerabilities_stop_it():
    # Without --strict it ends well where no vulnerability service answers.
    assert "pip-audit --strict" in WORKFLOW
    assert "needs: [audit, checks]" in WORKFLOW


def test_every_check_and_the_whole_proof_precede_it():
    checks = (WORKFLOWS / "checks.yml").read_text("utf-8")

    assert "uses: ./.github/workflows/checks.yml" in WORKFLOW
    assert {"      - run: .ci/run", "      - run: ./run prove"} <= set(checks.splitlines())


def test_every_change_is_checked_as_a_release_is():
    checks = (WORKFLOWS / "checks.yml").read_text("utf-8")

    assert "  push:\n    branches: [main]\n  pull_request:\n  workflow_call:\n" in checks


def test_every_lock_of_an_image_is_audited():
    for name in ("prod.txt", "production-image.txt"):
        assert f"--requirement requirements/{name}" in WORKFLOW


def test_it_is_said_where_to_report_a_vulnerability():
    page = (ROOT / "SECURITY.md").read_text("utf-8")

    assert "Report a vulnerability" in page
