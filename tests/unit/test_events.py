"""Events: logged once their transaction is committed, and by ids alone."""

import dataclasses
import json
import logging
from contextvars import Context

from authservice.events import ClientChanged, Event, SignedIn, TokenRefused
from authservice.logs import JSONLines, TextLines

KINDS = Event.__subclasses__()
FIELDS = {
    *("sub", "sid", "client_id", "provider", "account_id", "new_user"),
    *("scope", "ignored_scope", "resources", "grant_type", "error", "reason", "changed"),
    # How many, and whether.
    *("accounts", "sessions", "refresh_tokens", "everyone_signed_out"),
}
SIGNED_IN = SignedIn(sub="u", sid="s", provider="github", new_user=False)


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
