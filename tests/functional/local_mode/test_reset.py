"""Reset: the state after the start, but for clients and the persons of the file."""

import pytest

from authservice.models.column_types import metadata
from authservice.services.clients import clients
from tests.helpers.browser import Browser
from tests.helpers.control import Control
from tests.helpers.relying_party import RelyingParty

# It writes SQL of its own.
pytestmark = pytest.mark.engines("sqlite", "postgresql")


def _numbers(database):
    with database.transaction() as connection:
        return {
            name: connection.exec_driver_sql(f'SELECT count(*) FROM "{name}"').scalar()
            for name in metadata.tables
        }


def test_everything_that_happened_is_gone(app, control, database):
    before = _numbers(database)
    control.put("persons/anna", {"name": "Anna"})
    browser, relying_party = Browser(app), RelyingParty.registered(app, database)
    code = relying_party.sign_in_with(browser, scope="openid offline_access")
    relying_party.redeem(code)
    control.post("sessions", {"person": "anna"})
    assert _numbers(database)["oauth_access_token"] > 0

    assert control.ask("POST", "reset").status_int == 204

    assert _numbers(database) == before | {"oauth_client": 1}
    assert browser.session() is None
    assert [each["id"] for each in control.get("persons")["persons"]] == ["local-developer"]
    with database.transaction() as connection:
        assert clients.find(connection, relying_party.client_id) is not None


def test_requests_are_forgotten_and_their_numbers_go_on(app, control):
    Browser(app).get("/")
    last = control.get("requests")["requests"][-1]["id"]

    control.post("reset")
    assert control.get("requests")["requests"] == []

    Browser(app).get("/")
    assert control.get("requests")["requests"][0]["id"] == last + 1


def test_the_file_s_persons_are_back(make_app, tmp_path):
    file = tmp_path / "persons.toml"
    file.write_text('[person.bob]\nname = "Bob"\n', encoding="utf-8")
    control = Control(make_app(local__persons=str(file)))
    control.delete("persons/bob")

    control.post("reset")

    assert control.get("persons")["persons"][1]["name"] == "Bob"


def _kids(app):
    return [key["kid"] for key in Browser(app).get("/api/auth/jwks").json["keys"]]


def test_the_keys_of_the_start_are_back(app, make_app, control):
    before = _kids(app)
    control.post("clock", {"advance": 100 * 24 * 3600})
    control.post("keys/rotate")
    for kid in before:
        control.post("keys/retire", {"kid": kid})
    assert not {*before} & {*_kids(app)}

    # Another process than the one that changed them.
    Control(make_app()).post("reset")

    assert _kids(make_app()) == before


def test_a_reset_without_such_changes_leaves_the_keys_alone(app, control):
    before = _kids(app)

    control.post("reset")

    assert _kids(app) == before
