"""The page of commands, made from the parsers that read their arguments."""

import argparse
from collections.abc import Iterator

from authservice import cli
from tools.documentation.tables import code, table

_INTRODUCTION = """\
# Commands

After this page you can manage a service on its host: its database, its clients, its users and its \
keys. `authservice-register` is another name for `authservice oauth:register`.

A command that fails writes to standard error what to do, and its exit status is not 0. `--help` \
after any command lists its arguments.

A command works on the database in `AUTH_DATABASE_URL`. If that is not set, it reads the address \
from an ini file:

1. the one that `--config` names,
2. else the one that the variable `AUTHSERVICE_CONFIG` names. The \
[unit, the wrapper](deployment.md#migrate) and the [images](image.md) set it,
3. else `local.ini` in the current folder. If that folder also has a configured `production.ini`, \
only the command that registers a client uses `local.ini`.

Without an ini file that it can read, a command ends with status 2. In the third case `check` \
examines `./production.ini`. A command that writes begins with a line on standard error: it names \
the database, and says so if `AUTHSERVICE_CONFIG` names another file than `--config`. Write the \
path of an SQLite file in full: a relative path refers to the folder in which a process runs.

With `--remote` a command uses the database in `AUTH_REMOTE_DATABASE_URL` and reads no other \
setting, so it needs neither of the secrets.
"""


def page() -> str:
    """Return the page."""
    found = list(_commands(cli.parser()))
    contents = [["Command", "What it does"]]
    contents += [
        [f"[`{command.prog}`](#{_anchor(command.prog)})", summary] for command, summary in found
    ]
    sections = [_section(command, summary) for command, summary in found]
    return "\n".join([_INTRODUCTION, table(*contents), *sections])


def _commands(parser: argparse.ArgumentParser) -> Iterator[tuple[argparse.ArgumentParser, str]]:
    """Give every command that does something, with what it does."""
    for action in _actions(parser):
        if isinstance(action, argparse._SubParsersAction):
            for choice in action._choices_actions:
                command = action.choices[choice.dest]
                nested = list(_commands(command))
                yield from nested or [(command, choice.help or "")]


def _actions(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return parser._actions


def _section(command: argparse.ArgumentParser, summary: str) -> str:
    rows = [["Argument", "Meaning"]]
    rows += [
        [_written(action), _meaning(action)]
        for action in _actions(command)
        if not isinstance(action, argparse._HelpAction)
    ]
    return f"## {command.prog}\n\n{_sentence(summary)}\n\n{table(*rows)}"


def _written(action: argparse.Action) -> str:
    """Return an argument as one writes it, with the value that it takes."""
    if not action.option_strings:
        return code(action.metavar if isinstance(action.metavar, str) else action.dest.upper())
    value = ""
    if action.nargs != 0:
        choices = "|".join(str(choice) for choice in action.choices or ())
        named = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
        value = f" {choices or named}"
    names = ", ".join(code(f"{name}{value}") for name in action.option_strings)
    return names.replace("|", "\\|")


def _meaning(action: argparse.Action) -> str:
    text = (action.help or "").replace("%(prog)s", "the command")
    return f"{text} (required)" if action.required and action.option_strings else text


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _anchor(name: str) -> str:
    return name.replace(" ", "-").replace(":", "")
