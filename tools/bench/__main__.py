"""``./run bench``: measure, print, and keep the result; or look closer."""

import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from tools.bench import options, profiling, runs, senders, start
from tools.bench.databases.postgresql import PostgreSQLMissingError
from tools.bench.driver.http11 import WrongAnswerError
from tools.bench.report import results, table
from tools.bench.report.comparison import AnotherRunError, require_one_run
from tools.bench.report.figures import Run
from tools.bench.service.deployment import CommandError
from tools.bench.service.revisions import UnknownRevisionError
from tools.bench.service.servers import ServerError

# Each prints what it finds by itself, and keeps nothing.
_CLOSER: dict[str, Callable[[list[str]], int]] = {
    "profile": profiling.main,
    "senders": senders.main,
    "start": start.main,
}
_REASONS = (
    AnotherRunError,
    CommandError,
    OSError,
    PostgreSQLMissingError,
    ServerError,
    UnknownRevisionError,
    ValueError,
    WrongAnswerError,
)


def main(arguments: list[str]) -> int:
    """Return the exit status: 1 when a rule does not hold, an answer is wrong, or it cannot run."""
    signal.signal(signal.SIGTERM, _end)
    try:
        if arguments[:1] == ["table"]:
            return _show([Path(name) for name in arguments[1:]])
        if arguments and arguments[0] in _CLOSER:
            return _CLOSER[arguments[0]](arguments[1:])
        return _measure(options.parse(arguments))
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except _REASONS as error:
        sys.stderr.write(f"bench: {error}\n")
        return 1


def _end(number: int, _frame: FrameType | None) -> None:
    """End as after any failure, so that every server that was started is stopped."""
    raise SystemExit(128 + number)


def _measure(wanted: options.Options) -> int:
    run = runs.perform(wanted)
    file = results.FOLDER / f"{run.id}.json"
    results.save(run, file)
    # What draws it is a large library: only ./run bench installs it.
    from tools.bench.report import plot  # noqa: PLC0415

    plot.draw(run, file.with_suffix(".svg"))
    _print(run)
    sys.stdout.write(f"\nkept in {file} and {file.with_suffix('.svg').name}\n")
    return 1 if run.failures else 0


def _show(files: list[Path]) -> int:
    found = [results.load(file) for file in files]
    require_one_run(*(column for run in found for column in run.columns))
    for run in found:
        _print(run)
    return 0


def _print(run: Run) -> None:
    sys.stdout.write(f"{table.text_of(run)}\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
