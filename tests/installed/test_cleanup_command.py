"""``authservice cleanup``: what it says, how it stops, and several of it at a time."""

import json
import signal
import subprocess
import sys
from collections import Counter

import pytest

from authservice.cli import main as authservice
from tests.helpers.expired import counts, fill
from tests.helpers.processes import SCRIPTS, clean_environment

pytestmark = pytest.mark.usefixtures("found_by_commands")


@pytest.fixture(autouse=True)
def _handlers_of_this_process():
    kept = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


@pytest.fixture
def start(database_url):
    """Start the command as a process of its own."""
    started = []

    def begin():
        process = subprocess.Popen(
            [sys.executable, SCRIPTS / "authservice", "cleanup", "--json"],
            env=clean_environment() | {"AUTH_DATABASE_URL": database_url},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()


def test_it_says_what_it_deleted(database, capsys):
    fill(database, 2)

    authservice(["cleanup"])

    output = capsys.readouterr()
    assert output.out.splitlines() == [
        "access tokens: 6 deleted",
        "sessions: 2 deleted",
        "sealed successors: 2 deleted",
        "refresh tokens: 2 deleted",
        "verifications: 2 deleted",
        "removed accounts: 2 deleted",
        "provider events: 2 deleted",
        "fetched keys: 2 deleted",
    ]
    assert output.err.count("\n") == 1  # which database it was


def test_it_says_it_in_json(database, capsys):
    fill(database, 1)

    authservice(["cleanup", "--json"])

    assert json.loads(capsys.readouterr().out) == {
        "access_tokens": 3,
        "sessions": 1,
        "sealed_successors": 1,
        "refresh_tokens": 1,
        "verifications": 1,
        "removed_accounts": 1,
        "provider_events": 1,
        "fetched_keys": 1,
        "complete": True,
    }


def test_a_database_without_tables_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("AUTH_DATABASE_URL", f"sqlite:///{tmp_path}/absent.sqlite")

    with pytest.raises(SystemExit) as stop:
        authservice(["cleanup"])

    assert "is not migrated" in stop.value.code
    assert not (tmp_path / "absent.sqlite").exists()


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_after_the_transaction_under_way(database, start, how):
    fill(database, 800)
    before = counts(database)
    process = start()
    while counts(database) == before:
        assert process.poll() is None

    process.send_signal(how)
    out, err = process.communicate(timeout=60)

    deleted = json.loads(out)
    assert (process.returncode, err.count("\n"), deleted.pop("complete")) == (0, 1, False)
    assert deleted.pop("sealed_successors") == 0
    left = counts(database)
    assert {name: before[name] - left[name] for name in before} == deleted
    assert left["verifications"] == 800


@pytest.mark.no_cover  # which would look at each line instead
def test_a_signal_may_come_at_the_moment_when_a_wait_begins(database, capsys):
    fill(database, 100)

    def at_a_wait(frame, _event, _argument):
        # Where threading lets go of the lock of an event.
        if frame.f_code.co_name == "_release_save" and callable(signal.getsignal(signal.SIGTERM)):
            sys.settrace(None)
            signal.raise_signal(signal.SIGTERM)

    sys.settrace(at_a_wait)
    try:
        authservice(["cleanup", "--json"])
    finally:
        sys.settrace(None)

    assert not json.loads(capsys.readouterr().out)["complete"]


def test_several_at_a_time_share_the_work(database, start):
    fill(database, 100)
    before = counts(database)

    answers = [process.communicate(timeout=60) for process in [start() for _ in range(3)]]

    assert [err.count("\n") for _, err in answers] == [1, 1, 1]
    deleted = Counter()
    for out, _ in answers:
        deleted.update(json.loads(out))
    assert (deleted.pop("complete"), deleted.pop("sealed_successors")) == (3, 100)
    assert deleted == before
    assert set(counts(database).values()) == {0}
