"""What a release does not do without."""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = ROOT / ".github" / "workflows"
WORKFLOW = (WORKFLOWS / "release.yml").read_text("utf-8")
NIGHTLY = (WORKFLOWS / "nightly.yml").read_text("utf-8")
# Actions of others, and what names them and images so that they stay the same.
USED = r"uses: (?!\./)(.+)$"
BASE = r"^FROM (\S+:\S+) AS "
OTHERS = r"^ +image: (?!authservice:)(.+)$"
COMMIT = r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+"
IMAGE = r"[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}"
NIGHTLY_TASKS = set(re.findall(r"- task: (.+)\n +system: (\S+)", NIGHTLY))


def test_known_vulnerabilities_stop_it():
    # Without --strict it ends well where no vulnerability service answers.
    assert "pip-audit --strict" in WORKFLOW
    assert "pip install --require-hashes --no-deps" in WORKFLOW
    assert "--requirement requirements/audit.txt" in WORKFLOW
    assert "pipx" not in WORKFLOW
    assert "needs: [notes, audit, checks, nightly]" in WORKFLOW


def test_every_check_every_test_and_the_whole_proof_precede_it():
    checks = (WORKFLOWS / "checks.yml").read_text("utf-8")

    assert "uses: ./.github/workflows/checks.yml" in WORKFLOW
    assert "uses: ./.github/workflows/nightly.yml" in WORKFLOW
    assert "      - run: .ci/run" in checks.splitlines()
    for task in ("./run test --all --cov", "./run image", "./run prove"):
        assert (task, "debian:bookworm") in NIGHTLY_TASKS


def test_every_debian_and_every_python_precede_it():
    assert {
        ("./run test", "debian:trixie"),
        ("./run quick", "python:3.12"),
        ("./run quick", "python:3.14"),
    } <= NIGHTLY_TASKS


def test_what_changes_do_not_run_runs_every_night():
    assert "  schedule:\n    - cron: " in NIGHTLY
    assert "  workflow_dispatch:\n  workflow_call:\n" in NIGHTLY
    assert "      - run: ${{ matrix.task }}" in NIGHTLY.splitlines()


def test_every_change_runs_the_same_tests_and_runs_them_last():
    *_, last = (ROOT / ".ci" / "run").read_text("utf-8").splitlines()

    assert last == "exec ./run test --cov"


def test_every_change_is_checked_as_a_release_is():
    checks = (WORKFLOWS / "checks.yml").read_text("utf-8")

    assert "  push:\n    branches: [main]\n  pull_request:\n  workflow_call:\n" in checks


def test_every_lock_of_an_image_is_audited():
    for name in ("prod.txt", "production-image.txt"):
        assert f"--requirement requirements/{name}" in WORKFLOW


def test_no_job_has_a_permission_that_it_does_not_name(subtests):
    writing = {
        ("release.yml", "publish"): {"packages", "id-token"},
        ("release.yml", "release"): {"contents"},
    }
    for file in sorted(WORKFLOWS.glob("*.yml")):
        workflow = yaml.safe_load(file.read_text("utf-8"))
        assert workflow["permissions"] == {}, file.name
        for name, job in workflow["jobs"].items():
            with subtests.test(workflow=file.name, job=name):
                granted = job["permissions"]

                assert set(granted.values()) <= {"read", "write"}
                written = {what for what, how in granted.items() if how == "write"}
                assert written == writing.get((file.name, name), set())


def test_what_others_make_is_named_by_its_digest_and_dependabot_moves_it(subtests):
    updates = yaml.safe_load((ROOT / ".github/dependabot.yml").read_text("utf-8"))["updates"]
    moved = {(each["package-ecosystem"], each["directory"]) for each in updates}
    workflows = [(file, USED, COMMIT, "github-actions", "/") for file in WORKFLOWS.glob("*.yml")]
    for file, names, digest, kind, folder in (
        *workflows,
        (ROOT / "Containerfile", BASE, IMAGE, "docker", "/"),
        (ROOT / "docs/compose/compose.yaml", OTHERS, IMAGE, "docker-compose", "/docs/compose"),
    ):
        named = re.findall(names, file.read_text("utf-8"), re.MULTILINE)
        with subtests.test(file=file.name):
            assert named
            assert [each for each in named if not re.fullmatch(digest, each)] == []
            assert (kind, folder) in moved


def test_it_is_said_where_to_report_a_vulnerability():
    page = (ROOT / "SECURITY.md").read_text("utf-8")

    assert "Report a vulnerability" in page
