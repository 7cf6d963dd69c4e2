"""Change the code that security depends on, one small thing at a time: most must fail a test.

mutmut makes the mutants and chooses the tests of each. ``[tool.mutmut]`` in pyproject.toml says
of which files, and with which tests.
"""

import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.bench.service.checkouts import here
from tools.prove.outcome import Extent, Outcome

# Tried by the first run, which makes the mutants of all files.
_FIRST = "authservice.oauth.pkce.x_check_verifier__mutmut_*"
_SAMPLE = 150
# Of all, at least 88 of 100 are caught: a sample of them falls below this once in a thousand runs.
_LEAST = 0.8
_NOT_COPIED = shutil.ignore_patterns(
    "node_modules", "data", "build", ".*", "__pycache__", "*.egg-info"
)


def try_out(extent: Extent) -> Outcome:
    """Try some mutants, or all in the long setting."""
    seed = random.SystemRandom().randrange(10**9)
    sys.stdout.write(f"  seed {seed}\n")
    with tempfile.TemporaryDirectory(prefix="prove-") as folder:
        copy = Path(folder) / "authservice"
        shutil.copytree(here().folder, copy, ignore=_NOT_COPIED, symlinks=True)
        _mutmut(copy, "run", _FIRST)
        others = [name for name, status in _results(copy).items() if status == "not checked"]
        if extent == "quick":
            _mutmut(copy, "run", *random.Random(seed).sample(others, _SAMPLE))
        if extent == "long":
            _mutmut(copy, "run")
        results = _results(copy)
        for name in survivors(results):
            sys.stdout.write(f"  survived: {_mutmut(copy, 'show', name)}\n")
    return outcome(results)


def survivors(results: dict[str, str]) -> list[str]:
    """Return the names of the mutants that were tried and not caught by a test."""
    return [name for name, status in results.items() if status not in {"killed", "not checked"}]


def outcome(results: dict[str, str]) -> Outcome:
    """Return what became of the mutants whose status is given for each name."""
    tried = len(results) - list(results.values()).count("not checked")
    caught = 1 - len(survivors(results)) / tried
    figures: list[tuple[str, int | float | str]] = [
        ("mutants", tried),
        ("of all", len(results)),
        ("% caught", 100 * caught),
    ]
    losses = []
    if caught < _LEAST:
        losses.append(f"{caught:.0%} of the mutants were caught, fewer than {_LEAST:.0%}")
    return Outcome("mutants", figures, losses)


def _results(copy: Path) -> dict[str, str]:
    lines = _mutmut(copy, "results", "--all", "true").splitlines()
    return dict(line.strip().split(": ", 1) for line in lines if ": " in line)


def _mutmut(copy: Path, *arguments: str) -> str:
    """Return what mutmut prints; raises RuntimeError when it fails, as when the tests do."""
    done = subprocess.run(
        [here().program("mutmut"), *arguments],
        cwd=copy,
        env=here().environment() | {"PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"mutmut {arguments[0]}: {(done.stdout + done.stderr)[-2000:]}")
    return done.stdout
