"""The command line: ``authservice COMMAND``, one module for each command."""

import sys
from collections.abc import Collection
from typing import Any

from authservice import imported
from authservice.cli.arguments import Parser
from authservice.cli.commands import SUMMARIES


def parser(wanted: Collection[str] = tuple(SUMMARIES)) -> Parser:
    """Return the parser of all commands. Only those that are wanted know their arguments."""
    made = Parser(
        prog="authservice",
        description="Look after a service on its host: its database, its clients, its keys.",
        epilog="authservice COMMAND --help lists the arguments of a command.",
        allow_abbrev=False,
    )
    made.add_version()
    commands = made.add_subparsers(metavar="COMMAND", required=True)
    for name, summary in SUMMARIES.items():
        command = commands.add_parser(name, help=summary, allow_abbrev=False)
        if name in wanted:
            _module(name).add_arguments(command)
    return made


def main(arguments: list[str] | None = None) -> None:
    """Run the command that the arguments name."""
    given = sys.argv[1:] if arguments is None else arguments
    options = parser(wanted=given).parse_args(given)
    options.run(options)


def _module(command: str) -> Any:  # noqa: ANN401  (a module)
    """Return the module of a command, imported now: to import all takes longer than most run."""
    name = command.removeprefix("oauth:").replace("-", "_")
    return imported(f"authservice.cli.commands.{name}")
