"""An assertion counts once: in eight processes, at all endpoints, after a restart."""

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace

import pytest
from sqlalchemy import func, select

from authservice.models import oauth_access_token, verification
from authservice.oauth.oauth_request import TOKEN as TOKEN_ENDPOINT
from authservice.oauth.oauth_request import OAuthRequest
from authservice.oauth.server import server
from authservice.services.clients import clients
from tests.helpers.applications import LOCAL
from tests.helpers.client_assertion import claims_of, form_of, key_set, new_key, signed
from tests.helpers.lock_waits import wait_until_blocked
from tests.helpers.production import ORIGIN, production_app, production_browser
from tests.helpers.relying_party import TOKEN, RelyingParty
from tests.helpers.resource_file import resource_file
from tests.helpers.server_context import server_context
from tests.helpers.token_states import INTROSPECT, REVOKE

MANY = 80
NOTES = "https://notes.example.com"
GRANT = {"grant_type": "client_credentials"}
ABOUT_A_TOKEN = {"token": "made-up"}
FORMS = {TOKEN: GRANT, INTROSPECT: ABOUT_A_TOKEN, REVOKE: ABOUT_A_TOKEN}
KEY = new_key(kid="its-key")


class LostError(Exception):
    """The transaction cannot be committed."""


@pytest.fixture
def settings(database_url, tmp_path):
    resources = resource_file(tmp_path, NOTES)
    return LOCAL | {"auth.database_url": database_url, "auth.resources": resources}


@pytest.fixture
def app(make_app, settings):
    return make_app(auth__resources=settings["auth.resources"])


@pytest.fixture
def machine(app, database):
    kind = {"redirect_uris": (), "resources": [NOTES], "grant_types": clients.MACHINE}
    return RelyingParty.registered(app, database, jwks=key_set(KEY), **kind)


@pytest.fixture
def eight_processes(app, make_eight_processes, engine, settings):
    """Eight processes with the application on the test's database."""
    made = make_eight_processes(engine.local_environ)
    made.build(settings)
    return made


@pytest.fixture
def processes(app, make_processes, engine, settings):
    """Four of them, which are there anyway."""
    made = make_processes(engine.local_environ)
    made.build(settings)
    return made


@pytest.fixture
def assertion(machine):
    return signed(claims_of(machine.client_id), KEY)


def sent(assertion, path=TOKEN):
    """Return what sends an assertion to an endpoint."""
    return {"path": path, "form": FORMS[path] | form_of(assertion)}


def send(machine, assertion, path=TOKEN):
    """Send an assertion and return status and error."""
    form = FORMS[path] | form_of(assertion)
    answer = machine.http.post(path, form, expect_errors=True)
    return answer.status_int, answer.json.get("error") if answer.body else None


def accepted_one_of(answers):
    """Check that one was answered, and all others refused since it was used before."""
    assert Counter(each["status"] for each in answers) == {200: 1, 401: len(answers) - 1}
    refused = [json.loads(each["body"]) for each in answers if each["status"] == 401]
    assert {each["error"] for each in refused} == {"invalid_client"}
    (why,) = {each["error_description"] for each in refused}
    assert "was used before" in why


def count(database, table):
    return database.reader.scalar(select(func.count()).select_from(table))


def count_assertions(database):
    used = verification.c.updated_at.is_not(None) & (verification.c.value == "")
    return database.reader.scalar(select(func.count()).where(used))


@pytest.mark.attack("TOKENS-race-assertion")
def test_one_assertion_counts_once_in_eight_processes(eight_processes, database, assertion):
    wanted = [sent(assertion, path) for path in FORMS] * (MANY // len(FORMS))

    answers = eight_processes.send(wanted)

    accepted_one_of(answers)
    assert count_assertions(database) == 1
    issued = [each for each in answers if "access_token" in each["body"]]
    assert count(database, oauth_access_token) == len(issued)


def test_assertions_of_their_own_all_count(processes, database, machine):
    assertions = [signed(claims_of(machine.client_id), KEY) for _ in range(MANY)]

    answers = processes.send([sent(each) for each in assertions])

    assert Counter(each["status"] for each in answers) == {200: MANY}
    assert count_assertions(database) == count(database, oauth_access_token) == MANY


def test_an_assertion_that_was_used_is_refused_after_a_restart(
    processes, settings, database, assertion
):
    accepted_one_of(processes.send([sent(assertion)] * 8))

    processes.build(settings)
    answers = processes.send([sent(assertion, path) for path in FORMS] * 8)

    assert Counter(each["status"] for each in answers) == {401: len(answers)}
    assert count(database, oauth_access_token) == 1


def test_another_assertion_with_the_same_jti_is_refused_too(machine):
    claims = claims_of(machine.client_id)
    assert send(machine, signed(claims, KEY)) == (200, None)

    again = signed(claims | {"exp": claims["exp"] + 1}, KEY, typ="JWT")

    assert send(machine, again) == (401, "invalid_client")


@pytest.fixture
def answer(app, database):
    """Return the answer to a token request, in a transaction that comes of calling a function."""

    def answer(assertion, begin, **changes):
        context = replace(server_context(app.registry.components, database, begin), **changes)
        form = GRANT | form_of(assertion)
        request = OAuthRequest.read(TOKEN_ENDPOINT, context, None, form.items())
        return server.create_token_response(request)

    return answer


def test_an_assertion_counts_with_the_commit_only(database, machine, assertion, answer):
    with suppress(LostError), database.begin() as transaction:
        assert answer(assertion, lambda: transaction).status == 200
        raise LostError

    assert count_assertions(database) == 0
    assert send(machine, assertion) == (200, None)
    assert send(machine, assertion) == (401, "invalid_client")


def test_an_assertion_is_left_unused_where_no_transaction_begins(
    database, machine, assertion, answer
):
    def begin():
        raise LostError

    with pytest.raises(LostError):
        answer(assertion, begin)

    assert count_assertions(database) == 0
    assert send(machine, assertion) == (200, None)


def test_an_assertion_is_used_by_a_request_that_is_refused_for_another_reason(machine, assertion):
    wrong = {"grant_type": "password"} | form_of(assertion)
    assert machine.http.post(TOKEN, wrong, expect_errors=True).status_int == 400

    assert send(machine, assertion) == (401, "invalid_client")


def test_a_request_that_is_one_too_many_leaves_its_assertion_unused(
    make_app, monkeypatch, database, settings
):
    app = production_app(make_app, monkeypatch, auth__resources=settings["auth.resources"])
    kind = {"redirect_uris": (), "resources": [NOTES], "grant_types": clients.MACHINE}
    machine = RelyingParty.registered(
        app, database, jwks=key_set(KEY), requests_per_minute=1, **kind
    )
    machine.http = production_browser(app)
    first, second = (
        signed(claims_of(machine.client_id, aud=f"{ORIGIN}/api/auth"), KEY) for _ in range(2)
    )

    assert send(machine, first)[0] == 200
    assert send(machine, second)[0] == 429

    assert count_assertions(database) == 1
    # Each endpoint has a limit of its own.
    assert send(machine, second, INTROSPECT)[0] == 200


# On PostgreSQL both transactions are open at once, and the second one waits for the first.


@pytest.mark.engines("postgresql")
@pytest.mark.parametrize("path", FORMS)
def test_a_second_use_waits_for_the_first_and_is_refused(
    database, machine, assertion, answer, path
):
    with ThreadPoolExecutor(1) as other:
        with database.begin() as transaction:
            assert answer(assertion, lambda: transaction).status == 200
            second = other.submit(send, machine, assertion, path)
            wait_until_blocked(database, second)
            assert not second.done()

        assert second.result() == (401, "invalid_client")


@pytest.mark.engines("postgresql")
@pytest.mark.parametrize("path", FORMS)
def test_a_second_use_waits_for_the_first_and_counts_where_that_is_lost(
    database, machine, assertion, answer, path
):
    with ThreadPoolExecutor(1) as other:
        with suppress(LostError), database.begin() as transaction:
            assert answer(assertion, lambda: transaction).status == 200
            second = other.submit(send, machine, assertion, path)
            wait_until_blocked(database, second)
            assert not second.done()
            raise LostError

        assert second.result() == (200, None)
    assert count_assertions(database) == 1
