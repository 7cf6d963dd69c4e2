"""Events: logged once their transaction is committed, and by ids alone."""

import dataclasses
import json
import logging
from contextlib import suppress
from contextvars import Context

import pytest

from authservice.events import ClientChanged, Event, SignedIn, TokenRefused
from authservice.logs import JSONLines, TextLines
from tests.helpers.processes import ROOT

KINDS = Event.__subclasses__()
FIELDS = {
    *("sub", "sid", "client_id", "provider", "account_id", "new_user"),
    *("scope", "resources", "grant_type", "error", "reason", "changed"),
    # How many, and whether.
    *("accounts", "sessions", "refresh_tokens", "everyone_signed_out"),
}
SIGNED_IN = SignedIn(sub="u", sid="s", provider="github", new_user=False)


@pytest.fixture
def logged(caplog):
    caplog.set_level(logging.INFO, "authservice.events")
    return lambda: [record.event for record in caplog.records if hasattr(record, "event")]


def test_an_event_is_logged_after_the_commit(database, logged):
    with database.begin() as transaction:
        transaction.note(SIGNED_IN)
        assert logged() == []

    assert logged() == [SIGNED_IN]


def test_an_event_of_a_transaction_that_failed_is_not_logged(database, logged):
    with suppress(ZeroDivisionError), database.begin() as transaction:
        transaction.note(SIGNED_IN)
        raise ZeroDivisionError

    with database.transaction():
        pass
    assert logged() == []


def test_a_name_is_that_of_the_kind():
    assert SIGNED_IN.name == "signed_in"
    assert len({kind.name for kind in KINDS}) == len(KINDS)


def test_what_is_not_known_is_left_out():
    event = TokenRefused(grant_type=None, client_id=None, error="invalid_client")

    assert event.content() == {"name": "token_refused", "error": "invalid_client"}


def test_no_kind_has_a_place_for_a_name_an_address_or_a_token(subtests):
    for kind in KINDS:
        with subtests.test(kind.name):
            assert {field.name for field in dataclasses.fields(kind)} <= FIELDS


def test_the_documentation_has_each_kind_with_its_fields(subtests):
    page = (ROOT / "docs" / "events.md").read_text(encoding="utf-8")
    for kind in KINDS:
        with subtests.test(kind.name):
            (line,) = [line for line in page.splitlines() if line.startswith(f"| `{kind.name}` |")]

            assert all(f"`{field.name}`" in line for field in dataclasses.fields(kind))


def record(event):
    made = logging.LogRecord("authservice.events", logging.INFO, "", 0, event.name, None, None)
    made.event = event
    return made


def text_of(made):
    # Outside of any request.
    return Context().run(TextLines("%(message)s").format, made)


def test_a_line_of_json_holds_the_whole_event():
    event = ClientChanged(client_id="c", changed=("name", "scopes"))

    line = json.loads(JSONLines().format(record(event)))

    assert line["message"] == "client_changed"
    assert line["event"] == {
        "name": "client_changed",
        "client_id": "c",
        "changed": ["name", "scopes"],
    }


def test_a_line_of_text_does_too():
    line = text_of(record(SIGNED_IN))

    assert line == "signed_in sub=u sid=s provider=github new_user=False"


def test_other_records_have_no_event():
    made = logging.LogRecord("authservice.x", logging.INFO, "", 0, "text", None, None)

    assert "event" not in json.loads(JSONLines().format(made))
    assert text_of(made) == "text"
