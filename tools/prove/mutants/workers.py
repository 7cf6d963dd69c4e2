"""Workers, each in a copy of the checkout of its own, and what they are asked."""

import compileall
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from py_compile import PycInvalidationMode
from queue import SimpleQueue
from typing import cast

from tools.bench.service.checkouts import here
from tools.prove.mutants.operators import Mutant
from tools.prove.mutants.reach import Reach, Reached
from tools.prove.mutants.wording import wording_of

_NUMBER = 2
_NOT_COPIED = shutil.ignore_patterns(
    "node_modules", "data", "build", ".*", "__pycache__", "*.egg-info"
)


class Worker:
    """A process in a copy of the checkout that is asked one question after the other."""

    def __init__(self, copy: Path, kind: str, tests: Sequence[str] = ()) -> None:
        """Start it; ``stop`` ends it."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tools.prove.mutants.worker", kind, *tests],
            cwd=copy,
            env=here().environment() | {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, question: Mapping[str, object]) -> object:
        """Return the answer; raises RuntimeError when the worker has ended."""
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("the worker has no pipes")
        self._process.stdin.write(f"{json.dumps(question)}\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError("the worker has ended: do the tests run without any mutant?")
        told: object = json.loads(answer)
        return told

    def stop(self) -> None:
        """End the process."""
        self._process.communicate()


class Pair:
    """A loaded worker and a fresh one in one copy, for mutants inside and outside of functions."""

    def __init__(self, loaded: Worker, fresh: Worker) -> None:
        self.loaded = loaded
        self._fresh = fresh

    def catches(self, mutant: Mutant, tests: Sequence[str]) -> bool:
        """Tell whether any of the tests fails on a mutant."""
        question = {"path": mutant.path, "number": mutant.number, "tests": tests}
        answer = self.loaded.ask(question)
        return bool(self._fresh.ask(question) if answer is None else answer)

    def require_that_tests_pass(self, path: str, tests: Sequence[str]) -> None:
        """Raise RuntimeError when tests fail on what is unchanged: nothing would survive."""
        question = {"path": path, "number": None, "tests": tests}
        if self.loaded.ask(question) or self._fresh.ask(question):
            raise RuntimeError(f"the tests of {path} fail without any mutant")


@contextmanager
def at_work(tests: Sequence[str]) -> Iterator[list[Pair]]:
    """Give as many pairs of workers as there are cores for."""
    with tempfile.TemporaryDirectory(prefix="prove-") as folder, ExitStack() as stack:
        pairs = []
        for number in range(_NUMBER):
            copy = Path(folder) / str(number)
            shutil.copytree(here().folder, copy, ignore=_NOT_COPIED, symlinks=True)
            _compile(copy)
            loaded, fresh = Worker(copy, "loaded", tests), Worker(copy, "fresh")
            stack.callback(loaded.stop)
            stack.callback(fresh.stop)
            pairs.append(Pair(loaded, fresh))
        yield pairs


def _compile(copy: Path) -> None:
    """Keep bytecode that is used as long as the source is the same, whatever the clock says."""
    for folder in ("authservice", "tests"):
        compileall.compile_dir(
            copy / folder, quiet=2, invalidation_mode=PycInvalidationMode.CHECKED_HASH
        )


def reach_of(pairs: Sequence[Pair]) -> Reach:
    """Return what the tests reach, each worker running its share of them."""
    reached: Reached = {}
    with ThreadPoolExecutor(len(pairs)) as pool:
        shares = [
            pool.submit(pair.loaded.ask, {"share": (number, len(pairs))})
            for number, pair in enumerate(pairs)
        ]
        for share in shares:
            reached |= cast(Reached, share.result())
    return Reach(reached, wording_of(reached))


def survivors(pairs: Sequence[Pair], drawn: Sequence[Mutant], reach: Reach) -> list[Mutant]:
    """Return which of some mutants no test catches."""
    idle: SimpleQueue[Pair] = SimpleQueue()
    for pair in pairs:
        idle.put(pair)

    def survives(mutant: Mutant) -> bool:
        pair = idle.get()
        try:
            return not pair.catches(mutant, reach.tests_of(mutant))
        finally:
            idle.put(pair)

    with ThreadPoolExecutor(len(pairs)) as pool:
        alive = list(pool.map(survives, drawn))
    return [mutant for mutant, lives in zip(drawn, alive, strict=True) if lives]
