"""``./run bench``: measure, print, and keep the result."""

import signal
import sys
from pathlib import Path
from types import FrameType

from tools.bench import options, runs, start
from tools.bench.databases.postgresql import PostgreSQLMissingError
from tools.bench.driver.http11 import WrongAnswerError
from tools.bench.report import results, table
from tools.bench.report.comparison import AnotherRunError, require_one_run
from tools.bench.report.figures import Run
from tools.bench.service.deployment import CommandError
from tools.bench.service.revisions import UnknownRevisionError
from tools.bench.service.servers import ServerError

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
        if arguments[:1] == ["start"]:
            return start.main(arguments[1:])
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
    _print(run)
    sys.stdout.write(f"\nkept in {file}\n")
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
