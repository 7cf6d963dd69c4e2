"""What a release does not do without."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
WORKFLOW = (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")


def test_known_vulnerabilities_stop_it():
    # Without --strict it ends well where no vulnerability service answers.
    assert "pip-audit --strict" in WORKFLOW
    assert "needs: [audit, test, proof]" in WORKFLOW


def test_every_lock_of_an_image_is_audited():
    for name in ("prod.txt", "production-image.txt"):
        assert f"--requirement requirements/{name}" in WORKFLOW


def test_it_is_said_where_to_report_a_vulnerability():
    page = (ROOT / "SECURITY.md").read_text("utf-8")

    assert "Report a vulnerability" in page
