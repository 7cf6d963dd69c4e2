"""``authservice-register``: another name for ``authservice oauth:register``."""

import sys

from authservice import imported
from authservice.cli.arguments import Parser
from authservice.cli.commands import SUMMARIES


def main(arguments: list[str] | None = None) -> None:
    """Run the command."""
    summary = SUMMARIES["oauth:register"]
    parser = Parser(prog="authservice-register", description=summary, allow_abbrev=False)
    parser.add_version()
    # Imported when it is wanted, as in ``authservice``.
    command = imported("authservice.cli.commands.register")
    command.add_arguments(parser)
    command.run(parser.parse_args(sys.argv[1:] if arguments is None else arguments))
