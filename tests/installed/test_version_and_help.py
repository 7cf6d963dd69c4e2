"""What a command says of itself."""

import importlib.metadata

import pytest

import authservice
from tests.helpers.processes import SCRIPTS, finished


def said(*arguments):
    ended = finished([SCRIPTS / arguments[0], *arguments[1:]], check=True)
    return ended.stdout


@pytest.mark.parametrize("command", ["authservice", "authservice-register", "authservice-granian"])
def test_each_command_says_its_version(command):
    assert said(command, "--version") == f"authservice {authservice.__version__}\n"


def test_the_version_is_that_of_the_distribution():
    assert importlib.metadata.version("authservice") == authservice.__version__


def test_help_says_what_the_command_is_for():
    text = said("authservice", "--help")

    assert "Look after a service on its host" in text
    assert "module" not in text
    assert "``" not in text
