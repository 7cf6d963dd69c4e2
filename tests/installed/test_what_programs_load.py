"""A program loads what it needs: what it does not need would delay each of its starts."""

import json
import sys

import pytest

from authservice.database.database import Database
from authservice.services.upkeep.upkeep import Upkeep
from tests.helpers.applications import LOCAL
from tests.helpers.engines import migrate
from tests.helpers.processes import finished

# What it runs, then which modules it has and whether the garbage collector works.
RUN = """
import gc, json, sys
try:
    {run}
finally:
    print(json.dumps([sorted(sys.modules), gc.isenabled(), gc.get_freeze_count()]))
"""
COMMAND = "from authservice.cli import main; main(sys.argv[1:])"
REGISTER = "from authservice.cli.register import main; main()"
SERVE = "import authservice; app = authservice.main({}, **json.loads(sys.argv[1]))"

PAGES = {"jinja2", "pyramid", "webob"}
CALLS = {"requests", "urllib3"}
WRITING = {"psycopg", "sqlalchemy.orm", "transaction", "zope.sqlalchemy"}
KEYS = {"jwcrypto", "cryptography.x509"}
MIGRATIONS = {"alembic", "mako"}
PROTOCOL = {"limits", "oauthlib"}
MEASURING = {"opentelemetry", "prometheus_client", "redis"}
EVERYTHING = PAGES | CALLS | WRITING | KEYS | MIGRATIONS | PROTOCOL | MEASURING


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/local.sqlite"


@pytest.fixture
def loaded(url):
    def run(what, *arguments):
        ended = finished(
            [sys.executable, "-c", RUN.format(run=what), *arguments],
            env={"AUTH_DATABASE_URL": url},
            check=True,
        )
        modules, collects, frozen = json.loads(ended.stdout.splitlines()[-1])
        assert collects
        assert frozen > 0 or arguments[0].startswith("--")
        return set(modules)

    return run


@pytest.mark.parametrize("flag", ["--version", "--help"])
def test_what_a_program_says_of_itself_needs_no_library(loaded, flag):
    assert not loaded(COMMAND, flag) & (EVERYTHING | {"cryptography", "sqlalchemy"})


def test_a_command_that_reads_needs_nothing_that_writes_or_answers(loaded, url):
    migrate(url)

    modules = loaded(COMMAND, "clients", "list")

    assert not modules & EVERYTHING
    assert "sqlalchemy" in modules
    assert "authservice.cli.commands.users" not in modules


def test_a_command_that_writes_needs_nothing_that_answers(loaded, url):
    migrate(url)
    client = ["--name", "A", "--redirect-uri", "https://app.example.com/callback"]

    modules = loaded(REGISTER, *client)

    assert not modules & (EVERYTHING - WRITING)
    assert modules >= {"sqlalchemy.orm", "zope.sqlalchemy"}


def test_a_database_that_is_up_to_date_needs_no_migrations(loaded):
    assert "alembic" in loaded(COMMAND, "migrate")
    assert not loaded(COMMAND, "migrate") & EVERYTHING


def test_a_server_in_local_mode_makes_no_calls_and_writes_nothing_at_its_start(loaded, url):
    migrate(url)
    ini = json.dumps(LOCAL | {"auth.database_url": url})
    # The keys are made once.
    loaded(SERVE, ini)

    modules = loaded(SERVE, ini)

    assert not modules & (CALLS | WRITING | MIGRATIONS | MEASURING)
    assert modules >= PAGES


def test_a_server_gets_ready_to_write_by_itself(loaded):
    ready = (
        f"from {Upkeep.__module__} import Upkeep; from {Database.__module__} import Database;"
        "upkeep = Upkeep(Database(sys.argv[1])); upkeep.start(); upkeep._ready_to_write.join();"
        "upkeep.stop(); import authservice; authservice.imported('authservice.clock')"
    )

    assert loaded(ready, "sqlite:///absent.sqlite") >= {"sqlalchemy.orm", "zope.sqlalchemy"}
