import subprocess
import sys

from tests.helpers.processes import ROOT, clean_environment


def test_a_profile_names_the_functions_in_which_a_case_spends_its_time():
    done = subprocess.run(
        [sys.executable, "-m", "tools.bench", "profile", "health"],
        cwd=ROOT,
        env=clean_environment() | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert "µs CPU an operation" in done.stdout
    assert "(health)" in done.stdout
