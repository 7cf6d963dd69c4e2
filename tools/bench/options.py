"""The options of ``./run bench``, checked as a whole."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from tools.bench.cases import CASES

SERVERS = {"pserve": "pserve", "granian": "authservice-granian"}
SYNCHRONOUS = ("NORMAL", "FULL")


@dataclass(frozen=True, slots=True)
class Options:
    """What one run is to measure."""

    cases: tuple[str, ...]
    seconds: float
    rounds: int
    server: str
    """The program that serves."""
    database: str
    synchronous: tuple[str, ...]
    processes: int
    users: int
    growth: bool
    against: str | None


def parse(arguments: list[str]) -> Options:
    """Return the options; a wrong one ends the program with what it must be."""
    parser = argparse.ArgumentParser(
        prog="./run bench",
        description="Measures the service; docs/performance.md says how.",
        epilog="./run bench table RESULT.json shows a result again,"
        " ./run bench start what local mode takes to start and to be reset.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--only", metavar="CASE,…", type=_cases, default=tuple(CASES), help=", ".join(CASES))
    add("--seconds", type=_positive, default=3.0, help="how long each case is measured (3)")
    add("--rounds", type=_count, default=3, help="interleaved rounds (3)")
    add("--server", choices=SERVERS, default="pserve")
    add("--database", choices=("sqlite", "postgresql"), default="sqlite")
    add("--synchronous", choices=SYNCHRONOUS, help="of SQLite; both unless two things are compared")
    add("--users", type=_count, default=1, help="signed-in people in the database (1)")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--processes", type=_count, default=1, help="compare N processes with one")
    mode.add_argument("--growth", action="store_true", help="compare 1,000 with 1,000,000 people")
    mode.add_argument("--against", metavar="REV", help="compare with another commit; 15 %% fail")
    found = parser.parse_args(arguments)
    _check(found, parser.error)
    compares = found.growth or found.against or found.processes > 1
    every = SYNCHRONOUS[:1] if compares else SYNCHRONOUS
    return Options(
        cases=found.only,
        seconds=found.seconds,
        rounds=found.rounds,
        server=SERVERS[found.server],
        database=found.database,
        synchronous=(found.synchronous,) if found.synchronous else every,
        processes=found.processes,
        users=found.users,
        growth=found.growth,
        against=found.against,
    )


def _check(found: argparse.Namespace, refuse: Callable[[str], NoReturn]) -> None:
    if found.database == "postgresql" and found.synchronous:
        refuse("--synchronous is about SQLite; PostgreSQL runs with its own settings")
    if found.users > 1 and found.growth:
        refuse("--growth has its own numbers of users")
    if found.users > 1 and found.against:
        refuse("--users does not go with --against: the rows would be those of this version")


def _cases(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    unknown = [name for name in names if name not in CASES]
    if unknown:
        raise argparse.ArgumentTypeError(f"must be of {', '.join(CASES)}: {', '.join(unknown)}")
    return tuple(name for name in CASES if name in names)


def _positive(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0.0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"must be more than 0 seconds: {text!r}")
    return seconds


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1: {text!r}")
    return int(text)
