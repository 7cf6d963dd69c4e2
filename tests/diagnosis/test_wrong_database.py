"""What ``authservice check`` finds of the database and of the keys in it."""

import base64
import json
import os
import sqlite3
import sys
from contextlib import closing

from authservice.database.database import Database
from authservice.identity_provider import LOCAL_DEVELOPER
from authservice.services.admission import pins
from authservice.services.admission.decision import Person
from authservice.services.people import users
from authservice.services.upkeep import local_mark
from tests.diagnosis.machine import finds, registered
from tests.helpers.ports import free_port
from tests.helpers.processes import Process
from tests.helpers.profiles import profile
from tests.helpers.resource_file import resource_file

# The database


def test_a_database_that_nobody_has_migrated(machine):
    machine.database_file.unlink()

    finds(machine, "database.not_migrated")


def test_a_database_of_an_earlier_version(machine):
    change(machine, "UPDATE alembic_version SET version_num = '0001'")

    (found,) = finds(machine, "database.not_migrated")

    assert found["found"] == "revision 0001"

    opened = f"file = sqlite3.connect({str(machine.database_file)!r})"
    held = f'import signal, sqlite3; {opened}; file.execute("SELECT * FROM user"); print("open"); '
    other = Process([sys.executable, "-c", f"{held}signal.pause()"], ready="open")
    try:
        _, found = finds(machine, "database.not_migrated", "database.in_use_by_older")
    finally:
        other.stop()
    assert f"process {other.pid} (" in found["found"]


def test_a_database_of_a_later_version(machine):
    change(machine, "UPDATE alembic_version SET version_num = '9999'")

    finds(machine, "database.newer")


def change(machine, statement):
    with closing(sqlite3.connect(machine.database_file)) as connection, connection:
        connection.execute(statement)


def test_a_file_that_is_no_database(machine):
    machine.database_file.write_text("to be restored tomorrow\n" * 100, encoding="utf-8")

    finds(machine, "database.not_a_database")


def test_a_database_that_local_mode_has_served(machine):
    opened = Database(f"sqlite:///{machine.database_file}")
    local_mark.put(opened)
    opened.dispose()

    finds(machine, "database.of_local_mode")


def person(machine, provider_id, user_id=None):
    """Store a user who has signed in."""
    theirs = profile(
        user_id or "7", provider_id=provider_id, user_id=user_id, email="ada@observatory-lab.org"
    )
    database = Database(f"sqlite:///{machine.database_file}")
    with database.transaction() as connection:
        users.from_profile(connection, theirs)
    database.dispose()


def test_production_on_a_database_of_local_mode(machine):
    person(machine, LOCAL_DEVELOPER, LOCAL_DEVELOPER)

    finds(machine, "database.of_local_mode")


def test_local_mode_on_a_database_of_production(make_machine):
    machine = make_machine("local.ini")
    person(machine, "github")

    finds(machine, "database.of_production")


def test_accounts_of_another_provider(machine):
    change(machine, "INSERT INTO pinned_provider VALUES ('provider', 'github', 'https://a.b', 1)")

    (found,) = finds(machine, ("database.of_another_provider", "provider.api_url"))

    assert found["expected"] == "github at https://a.b"
    assert found["found"].startswith("github at http://127.0.0.1:")


def test_accounts_that_an_earlier_version_linked(machine):
    person(machine, "github")
    change(
        machine,
        "INSERT INTO account (id, account_id, provider_id, user_id, created_at, updated_at)"
        " SELECT 'x', '8', provider_id, user_id, created_at, updated_at FROM account",
    )

    (found,) = finds(machine, "database.linked_accounts")

    assert len(found["found"].removeprefix("users ")) == 32


def test_a_database_server_that_does_not_run(machine):
    machine.set("auth.database_url", f"postgresql+psycopg://auth@127.0.0.1:{free_port()}/auth")

    finds(machine, "database.unreachable")


def test_an_unencrypted_way_to_the_database(machine, names):
    names["db.observatory-lab.org"] = ["127.0.0.1"]
    machine.set("auth.database_url", f"postgresql+psycopg://auth@127.9.9.9:{free_port()}/auth")

    finds(machine, "database.unreachable", "database.unencrypted")


# The signing keys


def test_keys_under_a_secret_that_is_lost(machine):
    machine.store_keys(secret=base64.b64encode(os.urandom(32)).decode())

    finds(machine, ("keys.lost", "AUTH_SECRET"))


# The resources of clients


def registered_for(machine, *resources):
    """Register a client for resources, and return how it is spoken of."""
    return registered(machine, resources=resources)


def test_a_client_for_a_resource_that_is_not_configured(machine, tmp_path):
    about = registered_for(machine, "https://a.example.com", "https://b.example.com")
    machine.set("auth.resources", resource_file(tmp_path, "https://a.example.com"))

    finds(machine, ("resources.unknown", about))


def test_a_client_for_a_scope_that_its_resources_do_not_have(machine, tmp_path):
    scopes = ["openid", "notes:read", "notes:write"]
    about = registered(machine, resources=["https://a.example.com"], scopes=scopes)
    table = '["https://a.example.com"]\nscopes."notes:read" = "Read your notes"'
    machine.set("auth.resources", resource_file(tmp_path, table))

    finds(machine, ("resources.unknown", about))


def test_the_resources_of_each_client_are_listed(machine, tmp_path):
    about = registered_for(machine, "https://a.example.com", "https://b.example.com")
    uris = ["https://b.example.com", "https://a.example.com"]
    machine.set("auth.resources", resource_file(tmp_path, *uris))

    _, output = machine.check("--json")

    (listed,) = (each for each in json.loads(output)["findings"] if each["id"] == "resources")
    assert (listed["severity"], listed["about"]) == ("ok", about)
    assert listed["found"] == "https://a.example.com https://b.example.com"


def resource_server_for(machine, *resources):
    """Register a resource server, and return how it is spoken of."""
    return registered(machine, redirect_uris=(), grant_types=(), resources=resources)


def test_a_resource_server_that_may_introspect_nothing(machine, tmp_path):
    api = resource_server_for(machine, "https://a.example.com")
    finds(machine, ("resources.unknown", api), ("resources.not_introspected", api))

    machine.set("auth.resources", resource_file(tmp_path, "https://a.example.com/"))
    finds(machine)


def test_what_a_resource_server_may_introspect_is_listed(machine, tmp_path):
    api = resource_server_for(machine, "https://a.example.com")
    named = f'["https://b.example.com"]\nintrospected_by = ["{api.removeprefix("client ")}"]'
    uris = ["https://a.example.com/", named, "https://c.example.com"]
    machine.set("auth.resources", resource_file(tmp_path, *uris))

    _, output = machine.check("--json")

    (listed,) = (each for each in json.loads(output)["findings"] if each["id"] == "resources")
    assert (listed["severity"], listed["about"]) == ("ok", api)
    assert listed["found"] == "https://a.example.com/ https://b.example.com"


# The lists of people for whom clients are


def test_a_client_for_members_of_an_organization_that_is_not_asked_about(
    machine, identity_provider_standin
):
    identity_provider_standin.organization("acme", id=7)
    about = registered(machine, allow=["org:acme", "team:other/platform", "id:1"])
    machine.set("claims.groups_from", "acme")
    machine.pin({"org:acme": "7", "team:other/platform": "71"})

    finds(machine, ("client_lists.unread", about))


def test_a_client_for_a_domain_whose_addresses_do_not_count(machine):
    about = registered(machine, allow=["domain:example.com"])
    machine.set("provider.trust_emails", "false")

    finds(machine, ("client_lists.trust_emails", about))


def test_a_client_for_a_name_that_means_another_number_by_now(machine):
    about = registered(machine, allow=["user:octocat"])
    machine.pin({"user:octocat": "1"})
    database = Database(f"sqlite:///{machine.database_file}")
    with database.transaction() as connection:
        pins.mark(connection, Person("66", "octocat"))
    database.dispose()

    finds(machine, ("admission.name_reassigned", about))


def test_the_list_of_each_client_is_shown_with_its_names_that_have_no_number(machine):
    about = registered(machine, allow=["user:octocat", "id:1"])

    (found,) = finds(machine, ("admission.name_unresolved", about))
    assert found["found"] == "user:octocat"
    _, output = machine.check("--json")

    listed = [each for each in json.loads(output)["findings"] if each["id"] == "client_lists"]
    assert {(each["severity"], each["about"]) for each in listed} == {("ok", about)}
    assert [each["found"] for each in listed] == ["user:octocat id:1"]


def test_names_on_a_list_need_no_number_in_local_mode(make_machine):
    machine = make_machine("local.ini")
    registered(machine, allow=["user:octocat"])

    finds(machine)
