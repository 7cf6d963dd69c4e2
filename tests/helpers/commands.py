"""Commands of the service, run by their functions against the database of a test."""

import re

import pytest


@pytest.fixture
def found_by_commands(database_url, monkeypatch, tmp_path):
    """Let commands find the test's database, in a folder without an ini file."""
    monkeypatch.setenv("AUTH_DATABASE_URL", database_url)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def printed(found_by_commands, capsys):
    """Run a command by its main function and arguments; gives its output when it ends well.

    The first line of those that write, which names the database, is left out.
    """

    def command(main, *arguments):
        # What was said before is none of it.
        capsys.readouterr()
        main(list(arguments))
        output = capsys.readouterr()
        return output._replace(err=re.sub(r"\AThe database is .*\n", "", output.err))

    return command
