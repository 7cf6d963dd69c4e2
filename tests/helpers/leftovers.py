"""A test that leaves a process or a database behind fails by its name, and the process is ended.

What begins while a fixture of a wider scope is set up may stay as long as the fixture does, and so
may a server that a test has started again in its place. Linux makes this process the parent of all
that its descendants leave behind (PR_SET_CHILD_SUBREAPER in prctl(2)), so nothing gets away by
leaving its process group or by outliving its own parent.
"""

import ctypes
import os
import select
import signal
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic

import pytest

# The addresses of those that tests have been given and have not given back.
databases = set()

_PR_SET_CHILD_SUBREAPER = 36
# What a browser or a server has started ends a moment after it.
_SECONDS = 2
# What may stay: with which fixture, and the command of a process.
_staying = {}


def pytest_configure():
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def pytest_unconfigure():
    """End what a process of tests that has crashed has left to this one, which dealt them out."""
    _end(_children())


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef):
    if fixturedef.scope == "function":
        return (yield)
    with _staying_with(fixturedef):
        return (yield)


def pytest_fixture_post_finalizer(fixturedef):
    for each in [each for each, (owner, _) in _staying.items() if owner is fixturedef]:
        del _staying[each]


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown():
    try:
        return (yield)
    finally:
        if left := _left():
            pytest.fail(f"left behind: {', '.join(left)}", pytrace=False)


@contextmanager
def _staying_with(fixturedef):
    before = _children() | databases
    try:
        yield
    finally:
        for each in databases - before - _staying.keys():
            _staying[each] = fixturedef, None
        for pid in _children() - before - _staying.keys():
            _staying[pid] = fixturedef, _command(pid)


def _left():
    left = sorted(databases - _staying.keys())
    databases.difference_update(left)
    deadline = monotonic() + _SECONDS
    for pid in _children() - _staying.keys():
        if not (_takes_a_place(pid) or _ends_by(deadline, pid)):
            left.append(_command(pid))
    _end(_children() - _staying.keys())
    return left


def _takes_a_place(pid):
    command = _command(pid)
    for before, (fixturedef, its_command) in _staying.items():
        if its_command == command and _ends_by(0, before):
            del _staying[before]
            _staying[pid] = fixturedef, command
            return True
    return False


def _children():
    """Return the processes whose parent is this one: a list for each of its threads."""
    children = set()
    for listed in Path("/proc/self/task").glob("*/children"):
        # Threads end meanwhile.
        with suppress(OSError):
            children.update(map(int, listed.read_text("ascii").split()))
    return children


def _ends_by(deadline, pid):
    try:
        file = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([file], [], [], max(deadline - monotonic(), 0))[0])
    finally:
        os.close(file)


def _end(children):
    """End processes and their descendants, who are children as soon as their parent is gone."""
    while children:
        for pid in children:
            # Its number stays taken until it has been waited for.
            with suppress(ProcessLookupError, ChildProcessError):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
        children = _children() - _staying.keys()


def _command(pid):
    """Return what a process runs; Linux tells it a moment after the program has begun."""
    file, command = Path(f"/proc/{pid}/cmdline"), b""
    with suppress(OSError):
        while not (command := file.read_bytes()) and not _ends_by(monotonic() + 0.01, pid):
            pass
    return command.replace(b"\0", b" ").decode("utf-8", "replace").strip()
