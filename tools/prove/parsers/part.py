"""Atheris on each parser: a process for each, which a finding ends."""

import importlib.util
import subprocess
import sys
import tempfile

from tools.bench.service.checkouts import here
from tools.prove.outcome import Extent, Outcome

_RUNS: dict[Extent, int] = {"brief": 2_000, "quick": 100_000, "long": 20_000_000}
_NAMES = ("cookies", "interactions", "addresses", "assertions", "claims")
# Longer than any value that arrives.
_LENGTH = 4096


def fuzz(extent: Extent) -> Outcome:
    """Call every parser so many times; without Atheris it is said that this was left out."""
    if importlib.util.find_spec("atheris") is None:
        missing = "all: Atheris is not installed, which has wheels for few versions of Python"
        return Outcome("parsers", [("calls", 0)], [], [missing])
    losses = []
    for name in _NAMES:
        # A finding is written to the current folder.
        with tempfile.TemporaryDirectory(prefix="prove-") as folder:
            done = subprocess.run(
                [
                    *(sys.executable, "-m", "tools.prove.parsers.targets", name),
                    *(f"-atheris_runs={_RUNS[extent]}", f"-max_len={_LENGTH}"),
                ],
                cwd=folder,
                env=here().environment(),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
        if done.returncode != 0:
            told = [line for line in done.stdout.splitlines() if not line.startswith("INFO")]
            losses.append(f"{name}: {' | '.join(told)[-1500:]}")
    figures = [("calls", _RUNS[extent] * len(_NAMES)), ("parsers", len(_NAMES))]
    return Outcome("parsers", figures, losses)
