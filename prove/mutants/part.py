"""A sample of the mutants, or all, each with the tests that reach its line; most must be caught."""

import json
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue

from bench.checkouts import here
from prove.mutants.operators import Mutant, mutants
from prove.mutants.reach import Reach, measured
from prove.mutants.subjects import SOURCES
from prove.outcome import Extent, Outcome

_SAMPLE: dict[Extent, int | None] = {"brief": 2, "quick": 150, "long": None}
_PROCESSES = 2
_LEAST = 0.85
_NOT_COPIED = shutil.ignore_patterns(
    "node_modules", "data", "build", ".*", "__pycache__", "*.egg-info"
)


class Worker:
    """A process that tries mutants in a copy of the checkout."""

    def __init__(self, copy: Path) -> None:
        """Start it; ``stop`` ends it."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "prove.mutants.worker"],
            cwd=copy,
            env=environment(copy),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def catches(self, mutant: Mutant, tests: list[str]) -> bool:
        """Tell whether any of the tests fails on a mutant."""
        asked = {"path": mutant.path, "source": mutant.source, "tests": tests}
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("the worker has no pipes")
        self._process.stdin.write(f"{json.dumps(asked)}\n")
        self._process.stdin.flush()
        return bool(json.loads(self._process.stdout.readline()))

    def stop(self) -> None:
        """End the process."""
        self._process.communicate()


def environment(copy: Path) -> dict[str, str]:
    """Return the environment for what runs in a copy."""
    return here().environment() | {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}


def try_out(extent: Extent) -> Outcome:
    """Try mutants until the sample is through."""
    seed = random.SystemRandom().randrange(10**9)
    sys.stdout.write(f"  seed {seed}\n")
    with _copies() as copies:
        reach = measured(copies[0], brief=extent == "brief")
        everything = [each for path in reach.sources(SOURCES) for each in _mutants_of(path)]
        number = _SAMPLE[extent]
        chance = random.Random(seed)
        drawn = (
            everything
            if number is None
            else chance.sample(everything, min(number, len(everything)))
        )
        survivors = _survivors(copies, drawn, reach)
    for mutant in survivors:
        sys.stdout.write(f"  survived: {mutant.path}:{mutant.line}: {mutant.change}\n")
    caught = (len(drawn) - len(survivors)) / len(drawn)
    losses = []
    if caught < _LEAST:
        losses.append(f"{caught:.0%} of the mutants were caught, fewer than {_LEAST:.0%}")
    figures: list[tuple[str, int | float | str]] = [
        ("mutants", len(drawn)),
        ("of all", len(everything)),
        ("% caught", 100 * caught),
    ]
    return Outcome("mutants", figures, losses if extent != "brief" else [])


def _mutants_of(path: str) -> list[Mutant]:
    return mutants(path, (here().folder / path).read_text("utf-8"))


def _survivors(copies: list[Path], drawn: list[Mutant], reach: Reach) -> list[Mutant]:
    idle: SimpleQueue[Worker] = SimpleQueue()
    workers = [Worker(copy) for copy in copies]
    for worker in workers:
        _require_that_it_can_pass(worker, drawn[0], reach)
        idle.put(worker)

    def survives(mutant: Mutant) -> bool:
        tests = reach.tests_of(mutant.path, mutant.line)
        if not tests:
            return True
        worker = idle.get()
        try:
            return not worker.catches(mutant, tests)
        finally:
            idle.put(worker)

    with ThreadPoolExecutor(len(workers)) as pool:
        survived = list(pool.map(survives, drawn))
    for worker in workers:
        worker.stop()
    return [mutant for mutant, alive in zip(drawn, survived, strict=True) if alive]


def _require_that_it_can_pass(worker: Worker, mutant: Mutant, reach: Reach) -> None:
    """Raise RuntimeError when the tests fail on what is unchanged: nothing would survive."""
    unchanged = replace(mutant, source=(here().folder / mutant.path).read_text("utf-8"))
    if worker.catches(unchanged, reach.tests_of(mutant.path, mutant.line)):
        raise RuntimeError(f"the tests of {mutant.path} fail without any mutant")


@contextmanager
def _copies() -> Iterator[list[Path]]:
    with tempfile.TemporaryDirectory(prefix="prove-") as folder:
        copies = [Path(folder) / str(number) for number in range(_PROCESSES)]
        for copy in copies:
            shutil.copytree(here().folder, copy, ignore=_NOT_COPIED, symlinks=True)
        yield copies
