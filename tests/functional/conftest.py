"""What tests share: running commands, and those on the other side of logouts and sign-ins."""

import re

import pytest

from tests.helpers.logout_receiver import LogoutReceiver
from tests.helpers.relying_party import RelyingParty
from tests.helpers.standin_fixture import (  # noqa: F401  (fixtures)
    identity_provider_process,
    identity_provider_standin,
    standin,
)


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


@pytest.fixture
def happened(caplog):
    """Return the events so far."""
    caplog.set_level("INFO", "authservice.events")
    return lambda: [record.event for record in caplog.records if hasattr(record, "event")]


@pytest.fixture
def receiver(app):
    """The back-channel logout endpoint of a client, gone before the application is."""
    made = LogoutReceiver()
    yield made
    made.close()


@pytest.fixture
def told_client(app, database, receiver):
    """A client that wants to be told when a session ends."""
    return RelyingParty.registered(
        app, database, enable_end_session=True, backchannel_logout_uri=receiver.uri
    )


@pytest.fixture
def teller(app):
    """The part of the application that tells clients, working in its own thread."""
    return app.registry.components.backchannel_logout


@pytest.fixture
def by_hand(teller):
    """The same with its thread ended: the test makes each attempt."""
    teller.stop()
    return teller
