"""The command line: ``authservice COMMAND``, one module for each command."""

import sys

from authservice.cli import (
    backup,
    check,
    cleanup,
    clients,
    keys,
    migrate,
    provider,
    register,
    restore,
    sign_out_everyone,
    users,
    verify,
)
from authservice.cli.arguments import Parser

_COMMANDS = {
    "check": check,
    "verify": verify,
    "migrate": migrate,
    "oauth:register": register,
    "clients": clients,
    "users": users,
    "provider": provider,
    "keys": keys,
    "cleanup": cleanup,
    "backup": backup,
    "restore": restore,
    "sign-out-everyone": sign_out_everyone,
}


def parser() -> Parser:
    """Return the parser of all commands."""
    made = Parser(
        prog="authservice",
        description="Look after a service on its host: its database, its clients, its keys.",
        epilog="authservice COMMAND --help lists the arguments of a command.",
        allow_abbrev=False,
    )
    made.add_version()
    commands = made.add_subparsers(metavar="COMMAND", required=True)
    for name, module in _COMMANDS.items():
        command = commands.add_parser(name, help=module.SUMMARY, allow_abbrev=False)
        module.add_arguments(command)
    return made


def main(arguments: list[str] | None = None) -> None:
    """Run the command that the arguments name."""
    options = parser().parse_args(sys.argv[1:] if arguments is None else arguments)
    options.run(options)
