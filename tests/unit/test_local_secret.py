"""The secret of local mode: private, kept, and the same for all who start together."""

import stat
import subprocess
import sys
from pathlib import Path

from authservice.crypto.server_secret import local_secret


def test_the_secret_is_made_once_and_kept_beside_the_database(tmp_path):
    file = tmp_path / "local.sqlite"

    first = local_secret(str(file))

    assert len(first) == 32
    assert local_secret(str(file)) == first
    assert [path.name for path in tmp_path.iterdir()] == ["local.sqlite.secret"]


def test_only_its_owner_can_read_it(tmp_path):
    local_secret(str(tmp_path / "local.sqlite"))

    mode = (tmp_path / "local.sqlite.secret").stat().st_mode
    assert stat.S_IMODE(mode) == 0o600


def test_two_databases_have_two_secrets(tmp_path):
    assert local_secret(str(tmp_path / "a")) != local_secret(str(tmp_path / "b"))


def test_the_loser_of_a_race_takes_the_winners_secret(tmp_path, monkeypatch):
    kept = tmp_path / "local.sqlite.secret"
    before = Path.exists

    def too_early(path):
        if path == kept and not before(kept):
            # Another process finishes between the look and the link.
            kept.write_bytes(b"w" * 32)
            return False
        return before(path)

    monkeypatch.setattr(Path, "exists", too_early)

    assert local_secret(str(tmp_path / "local.sqlite")) == b"w" * 32
    assert [path.name for path in tmp_path.iterdir()] == ["local.sqlite.secret"]


def test_processes_that_start_together_agree_on_one_secret(tmp_path):
    program = (
        "import sys; from authservice.crypto.server_secret import local_secret;"
        "sys.stdin.readline(); print(local_secret(sys.argv[1]).hex())"
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(tmp_path / "x")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(6)
    ]
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    answers = {process.communicate(timeout=60)[0] for process in processes}

    assert len(answers) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["x.secret"]
