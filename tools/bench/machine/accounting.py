"""What processes have used, from /proc: CPU time, memory and bytes written, children included."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_PROC = Path("/proc")
# Places in /proc/PID/stat behind the command's name: own and waited-for children's time.
_TIMES = slice(11, 15)


def cpu_seconds(pids: Iterable[int]) -> float:
    """Return the CPU time, user and system, of processes and all that they started.

    The kernel counts in steps of 10 ms. Children that have ended count with their parent.
    """
    ticks = 0
    for pid in with_children(pids):
        times = _read(pid, "stat").rpartition(")")[2].split()[_TIMES]
        ticks += sum(map(int, times))
    return ticks / _TICKS


def memory_bytes(pids: Iterable[int]) -> int:
    """Return the memory of processes: what several share is shared out between them (PSS)."""
    return 1024 * sum(_field(pid, "smaps_rollup", "Pss") for pid in with_children(pids))


def written_bytes(pids: Iterable[int]) -> int:
    """Return what processes have caused to be written to a disk; 0 where the kernel hides it."""
    return sum(_field(pid, "io", "write_bytes") for pid in with_children(pids))


def with_children(pids: Iterable[int]) -> Iterator[int]:
    """Yield each process before its children are looked for, then them, and those of these."""
    for pid in pids:
        yield pid
        for task in _tasks(pid):
            children = _read(pid, f"task/{task}/children").split()
            yield from with_children([int(child) for child in children])


def _tasks(pid: int) -> list[str]:
    try:
        return [task.name for task in (_PROC / str(pid) / "task").iterdir()]
    except FileNotFoundError:
        return []


def _field(pid: int, name: str, key: str) -> int:
    lines = (line.partition(":") for line in _read(pid, name).splitlines())
    return next((int(value.split()[0]) for found, _, value in lines if found == key), 0)


def _read(pid: int, name: str) -> str:
    try:
        return (_PROC / str(pid) / name).read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        # It has ended meanwhile, or the kernel does not tell.
        return ""
