"""Consents on demand: what the page of a client would ask, and would be refused."""

import pytest

from authservice.services.people import consents
from tests.helpers.browser import Browser
from tests.helpers.control import Control
from tests.helpers.relying_party import RelyingParty
from tests.helpers.resource_file import resource_file


@pytest.fixture
def relying_party(app, database):
    return RelyingParty.registered(app, database)


def _content(relying_party, *scopes):
    content = {"person": "local-developer", "client_id": relying_party.client_id}
    return content | ({"scopes": [*scopes]} if scopes else {})


def _needs_consent(app, control, relying_party, scope):
    begun = control.post("sessions", {"person": "local-developer"})
    answer = Browser(app).get(
        "/api/auth/oauth2/authorize",
        relying_party.request(scope=scope),
        headers={"Cookie": begun["cookie"]},
    )
    return "/consent" in answer.location


def test_a_consent_spares_the_page(app, control, relying_party):
    assert _needs_consent(app, control, relying_party, "openid email")

    control.put("consents", _content(relying_party, "openid", "email"))

    assert not _needs_consent(app, control, relying_party, "openid email")
    assert _needs_consent(app, control, relying_party, "openid email profile")


def test_a_consent_is_what_was_put_last(app, control, relying_party):
    control.put("consents", _content(relying_party, "openid", "email"))
    control.put("consents", _content(relying_party, "openid", "profile"))

    assert _needs_consent(app, control, relying_party, "openid email")
    assert not _needs_consent(app, control, relying_party, "openid profile")


def test_some_scopes_are_withdrawn(app, control, relying_party):
    control.put("consents", _content(relying_party, "openid", "email"))

    control.delete("consents", _content(relying_party, "email"))

    assert _needs_consent(app, control, relying_party, "openid email")
    assert not _needs_consent(app, control, relying_party, "openid")


def test_without_scopes_the_client_loses_everything(app, control, relying_party):
    control.put("consents", _content(relying_party, "openid"))

    control.delete("consents", _content(relying_party))

    assert _needs_consent(app, control, relying_party, "openid")
    assert control.ask("DELETE", "consents", _content(relying_party)).status_int == 404


@pytest.mark.attack("LOCAL-bad-request")
def test_a_wrong_request_changes_no_consent(subtests, app, control, relying_party, database):
    api = RelyingParty.registered(app, database, redirect_uris=(), grant_types=())
    for change, status, field in (
        ({"person": "nobody"}, 400, "person"),
        ({"person": 1}, 400, "person"),
        ({"client_id": "unknown"}, 400, "client_id"),
        ({"client_id": None}, 400, "client_id"),
        ({"client_id": api.client_id}, 400, "client_id"),
        ({"scopes": []}, 400, "scopes"),
        ({"scopes": "openid"}, 400, "scopes"),
        ({"scopes": ["openid", "admin"]}, 400, "scopes"),
        ({"scopes": ["openid", "openid"]}, 400, "scopes"),
        ({"resource": "x"}, 400, "resource"),
    ):
        for method in ("PUT", "DELETE"):
            with subtests.test(change=change, status=status, field=field, method=method):
                control.put("consents", _content(relying_party, "openid"))

                answer = control.ask(
                    method, "consents", _content(relying_party, "openid", "email") | change
                )

                assert (answer.status_int, answer.json["field"]) == (status, field)
                assert api.client_id not in answer.json["allowed"]
                assert not _needs_consent(app, control, relying_party, "openid")
                assert _needs_consent(app, control, relying_party, "openid email")


def test_a_scope_of_a_resource_allows_the_resource_too(make_app, database, tmp_path):
    uri = "https://notes.example.com"
    described = f'["{uri}"]\nscopes."notes:read" = "Read your notes"'
    app = make_app(auth__resources=resource_file(tmp_path, described))
    client = RelyingParty.registered(app, database, resources=[uri])
    control = Control(app)

    control.put("consents", _content(client, "openid", "notes:read"))

    assert not _needs_consent(app, control, client, "openid notes:read")
    # With the last of its scopes the resource goes too.
    for change in (
        lambda: control.delete("consents", _content(client, "notes:read")),
        lambda: control.put("consents", _content(client, "openid")),
    ):
        control.put("consents", _content(client, "openid", "notes:read"))
        change()
        consent = consents.find(database.reader, client.client_id, "local-developer")
        assert consent.resources is None
