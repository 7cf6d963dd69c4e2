"""``./run prove [--brief | --long] [PART ...]``: try to break the service; print what was lost."""

import argparse
import signal
import sys
import time
import traceback
from dataclasses import replace
from types import FrameType

from tools.prove.outcome import Extent, Outcome, table_of
from tools.prove.parts import PARTS


def main(arguments: list[str]) -> int:
    """Return the exit status: 1 when anything was lost or a part could not run."""
    parser = argparse.ArgumentParser(prog="./run prove", description=__doc__, allow_abbrev=False)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    extents = parser.add_mutually_exclusive_group()
    extents.add_argument(
        "--brief",
        dest="extent",
        action="store_const",
        const="brief",
        help="just enough to see that the proof itself works",
    )
    extents.add_argument(
        "--long",
        dest="extent",
        action="store_const",
        const="long",
        help="the long setting, for hours",
    )
    options = parser.parse_args(arguments)
    unknown = [name for name in options.parts if name not in PARTS]
    if unknown:
        parser.error(f"there is no part {unknown[0]}; there are: {', '.join(PARTS)}")
    # So that every server that was started is stopped.
    signal.signal(signal.SIGTERM, _end)
    extent: Extent = options.extent or "quick"
    outcomes = [_timed(name, extent) for name in options.parts or PARTS]
    sys.stdout.write(f"\n{table_of(outcomes)}\n")
    return 1 if any(outcome.losses for outcome in outcomes) else 0


def _timed(name: str, extent: Extent) -> Outcome:
    sys.stdout.write(f"{name}: {extent} setting\n")
    sys.stdout.flush()
    began = time.monotonic()
    try:
        outcome = PARTS[name](extent)
    except Exception as error:  # noqa: BLE001  (the other parts are to be seen as well)
        traceback.print_exc()
        outcome = Outcome(name, [], [f"it could not go on: {type(error).__name__}: {error}"])
    outcome = replace(outcome, part=name, seconds=time.monotonic() - began)
    sys.stdout.write(f"{table_of([outcome])}\n")
    return outcome


def _end(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
