"""What ``authservice check`` finds of secrets: wrong values, wrong places, open files."""

import base64
import os

import pytest

from tests.diagnosis.machine import finds
from tests.helpers.other_user import NOBODY
from tests.helpers.parts import as_root
from tests.helpers.ports import free_port

SETTINGS = "settings.refused"


def test_no_secrets(machine):
    machine.environ(AUTH_SECRET=None, PROVIDER_CLIENT_SECRET=None)

    finds(machine, (SETTINGS, "AUTH_SECRET"), (SETTINGS, "PROVIDER_CLIENT_SECRET"))


def test_a_secret_in_the_ini_file(machine):
    machine.set("auth.secret", machine.secret)

    found = finds(machine, (SETTINGS, "auth.secret"), "secrets.in_ini")

    assert machine.secret not in str(found)


def test_a_secret_in_a_comment_of_the_ini_file(machine, identity_provider_standin):
    machine.text += f"# the old one was {identity_provider_standin.client_secret}\n"

    finds(machine, ("secrets.in_ini", f"PROVIDER_CLIENT_SECRET in {machine.ini_file}"))


@pytest.mark.parametrize(
    ("mode", "kind"), [(0o644, "secrets.file_readable"), (0o660, "secrets.file_changeable")]
)
def test_a_secret_file_that_others_may_read_or_change(machine, mode, kind):
    file = machine.secret_file("AUTH_SECRET", machine.secret, mode)

    finds(machine, (kind, f"AUTH_SECRET_FILE: {file}"))


def test_a_secret_file_of_somebody_else(machine):
    as_root()
    os.chown(machine.secret_file("AUTH_SECRET", machine.secret), NOBODY, NOBODY)

    finds(machine, "secrets.file_owner")


def test_a_provider_secret_in_quotation_marks(machine, identity_provider_standin):
    machine.environ(PROVIDER_CLIENT_SECRET=f'"{identity_provider_standin.client_secret}"')

    finds(machine, ("secrets.quoted", "PROVIDER_CLIENT_SECRET"), "provider.credentials")


def test_a_provider_secret_that_is_a_placeholder(machine):
    machine.environ(PROVIDER_CLIENT_SECRET="changeme")

    finds(machine, ("secrets.placeholder", "PROVIDER_CLIENT_SECRET"))


def test_a_server_secret_that_a_person_thought_of(machine):
    phrase = base64.b64encode(b"correct horse battery staple, and more").decode()
    machine.environ(AUTH_SECRET=phrase)

    finds(machine, ("secrets.guessable", "AUTH_SECRET"))


def test_one_value_in_two_places(machine):
    machine.environ(PROVIDER_CLIENT_SECRET=machine.secret)

    finds(machine, "secrets.mixed_up", "provider.credentials")


def test_a_rotation_that_changed_nothing(machine):
    machine.environ(AUTH_SECRET_PREVIOUS=machine.secret)

    finds(machine, ("secrets.same_as_before", "AUTH_SECRET_PREVIOUS"))


@pytest.mark.attack("MACHINE-printed-password")
@pytest.mark.parametrize(
    ("user", "query"), [("auth:p4ssw0rd", ""), ("auth", "?password=p4ssw0rd&connect_timeout=1")]
)
def test_a_database_password_in_the_ini_file(machine, user, query):
    port = free_port()
    machine.set("auth.database_url", f"postgresql+psycopg://{user}@127.0.0.1:{port}/auth{query}")

    found = finds(machine, ("secrets.password_in_ini", "auth.database_url"), "database.unreachable")

    assert "p4ssw0rd" not in str(found)
