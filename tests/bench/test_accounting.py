import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.helpers.parts import machine_lacks
from tests.helpers.processes import ROOT
from tools.bench.machine import accounting, facts

# A parent that does nothing, with a child that has burnt 0.2 s of CPU time and waits.
PARENT = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", sys.argv[1]], stdin=subprocess.PIPE)
sys.stdin.read()
child.stdin.close()
child.wait()
"""
CHILD = """
import sys, time
while time.process_time() < 0.2: pass
print("burnt", flush=True)
sys.stdin.read()
"""


def test_what_a_child_uses_counts():
    command = [sys.executable, "-c", PARENT, CHILD]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout.readline() == b"burnt\n"

        assert accounting.cpu_seconds([parent.pid]) >= 0.2
        assert accounting.memory_bytes([parent.pid]) > 0


def test_a_process_that_is_gone_has_used_nothing():
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()

    assert accounting.cpu_seconds([ended.pid]) == 0
    assert accounting.memory_bytes([ended.pid]) == 0
    assert accounting.written_bytes([ended.pid]) == 0


@pytest.fixture
def folder_on_disk():
    """A folder of the checkout: those for temporary files may be in memory."""
    build = ROOT / "build"
    build.mkdir(exist_ok=True)
    with TemporaryDirectory(dir=build) as folder:
        if facts.filesystem(Path(folder)) == "tmpfs":
            machine_lacks("a disk for temporary files")
        yield Path(folder)


def test_what_is_written_to_disk_counts(folder_on_disk):
    before = accounting.written_bytes([os.getpid()])

    with (folder_on_disk / "file").open("wb") as file:
        file.write(b"x" * 1_000_000)
        file.flush()
        os.fsync(file.fileno())

    assert accounting.written_bytes([os.getpid()]) - before >= 1_000_000
