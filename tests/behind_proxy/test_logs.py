"""The log: one line of JSON for each event, found by the reference of a page, without secrets."""

import hashlib
import json
import re
import secrets
import threading
from urllib.parse import parse_qs, quote, urlencode, urlsplit

import pytest

from tests.behind_proxy.deployment import APP, AUTH, CLIENT
from tests.behind_proxy.walk import walk_in
from tests.helpers.relying_party import challenge_of

AUTHORIZE = f"{AUTH}/api/auth/oauth2/authorize"
TOKEN = f"{AUTH}/api/auth/oauth2/token"
_REFERENCE = re.compile(r"Reference</dt><dd><code>(\w+)")
_PSERVES_OWN = re.compile(r"Starting server in PID \d+\.\n|Exiting.*\n")
_ROUNDS = 200


def _entries(production):
    lines = [line for worker in production.workers for line in worker.output]
    return [json.loads(line) for line in lines if not _PSERVES_OWN.fullmatch(line)]


def _authorization_request(walk, client, **changes):
    verifier, state, nonce = (secrets.token_urlsafe(40) for _ in range(3))
    walk.remember(verifier, state, nonce)
    parameters = {
        "response_type": "code",
        "client_id": client["client_id"],
        "redirect_uri": f"{CLIENT}/elsewhere",
        "scope": "openid profile email offline_access",
        "state": state,
        "nonce": nonce,
        "code_challenge": challenge_of(verifier),
        "code_challenge_method": "S256",
    } | changes
    return verifier, f"{AUTHORIZE}?{urlencode(parameters)}"


def _tokens(walk, client):
    """Go through consent and the token endpoint; return what it answers."""
    verifier, url = _authorization_request(walk, client)
    page = walk.get(walk.get(url).headers["Location"])
    location = walk.submit(f"{AUTH}/consent", page, decision="allow").headers["Location"]
    back = walk.get(location).headers["Location"]
    form = {
        "grant_type": "authorization_code",
        "code": parse_qs(urlsplit(back).query)["code"][0],
        "redirect_uri": f"{CLIENT}/elsewhere",
        "code_verifier": verifier,
    }
    found = walk.caller.post_form(TOKEN, form | client).json
    walk.caller.post_form(TOKEN, form | client)  # once more, as a thief would
    return found


@pytest.fixture
def walk(production, own_client):
    """Go every way that a secret takes, also those that fail."""
    walk = walk_in(production)
    caller = walk.caller
    tokens = _tokens(walk, own_client)
    refresh = {"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]}
    refreshed = caller.post_form(TOKEN, refresh | own_client).json
    for answer in (tokens, refreshed):
        walk.remember(*(answer[name] for name in answer if name.endswith("_token")))
    for token in (tokens["access_token"], "A" * 43):
        caller.get(f"{AUTH}/api/auth/oauth2/userinfo", Authorization=f"Bearer {token}")
    caller.post_form(TOKEN, refresh | own_client | {"client_secret": "B" * 43})
    headers = {"Cookie": walk.cookies, "Origin": APP}
    for path in ("get-session", "token", "list-sessions"):
        answer = caller.get(f"{AUTH}/api/auth/{path}", **headers)
    walk.remember(caller.get(f"{AUTH}/api/auth/token", **headers).json["token"])
    walk.remember(own_client["client_secret"], "A" * 43, "B" * 43)
    caller.get(f"{AUTH}/api/auth/callback/github?code=C{'c' * 30}&state=S{'s' * 30}", **headers)
    walk.remember(f"C{'c' * 30}", f"S{'s' * 30}")
    production.standin.fault("/api/user", "500")
    walk.secrets |= walk_in(production).secrets
    caller.post_json(f"{AUTH}/api/auth/sign-out", {}, **headers)
    walk.remember(production.auth_secret, production.standin.client_secret)
    for received in production.standin.requests():
        walk.remember(received["headers"].get("Authorization", "").removeprefix("Bearer "))
        walk.remember(received["form"].get("code", ""), received["form"].get("code_verifier", ""))
    return walk


@pytest.mark.attack("RFC6819-4.6.7", "OWASP-SESSION-9")
@pytest.mark.requirement("RFC6749-10.8-1")
def test_no_secret_is_written_anywhere(production, walk):
    written = production.output + production.proxy_logs() + "".join(production.nginx.output)

    assert len(walk.secrets) > 30
    assert "sign-in failed: provider_unavailable" in written
    assert "/api/auth/callback/github" in production.proxy_logs()
    for secret in walk.secrets:
        for form in (secret, quote(secret, safe=""), secret.rpartition(".")[0] or secret):
            assert form not in written


def test_nobody_is_named_but_by_an_id(production, walk):
    session = walk.get(f"{AUTH}/api/auth/get-session").json

    assert session is None
    for personal in ("Mona Lisa", "mona@example.com", "octocat", "203.0.113."):
        assert personal not in production.output


def test_each_line_is_json(production, walk):
    entries = _entries(production)

    for entry in entries:
        assert {"time", "level", "logger", "message"} <= set(entry)
        assert set(entry) <= {
            *("time", "level", "logger", "message", "request", "exception", "event")
        }
    assert {"authservice.web.pages.pages", "authservice.web.sign_in.sign_in_failures"} <= {
        entry["logger"] for entry in entries
    }


@pytest.mark.attack("BROWSER-log-injection")
def test_a_line_break_from_outside_does_not_begin_a_line(production):
    walk = walk_in(production)
    page = walk.get(f"{AUTH}/sign-in")
    leaving = walk.submit(f"{AUTH}/sign-in", page, choice="sign-in").headers["Location"]
    state = parse_qs(urlsplit(leaving).query)["state"][0]
    error = '\n{"level": "forged"}\r\n'

    query = urlencode({"state": state, "error": error})
    answer = walk.get(f"{AUTH}/api/auth/callback/github?{query}")

    assert answer.status == 400
    written = [entry["message"] for entry in _logged_under(production, answer)]
    assert [message for message in written if message.startswith("sign-in failed: ")]
    assert not [message for message in written if "forged" in message]
    assert not [entry for entry in _entries(production) if entry["level"] == "forged"]


def test_the_reference_on_an_error_page_is_in_the_log(subtests, production):
    for path, status in (
        ("/api/auth/oauth2/authorize?client_id=nobody&redirect_uri=x", 400),
        ("/sign-in?callbackURL=https://evil.test/", 403),
        ("/consent?interaction=junk", 400),
        ("/api/auth/callback/github?state=junk", 400),
        ("/nowhere", 404),
    ):
        with subtests.test(path=path):
            answer = production.caller().get(f"{AUTH}{path}")
            assert answer.status == status
            assert _logged_under(production, answer)


def test_every_event_of_a_request_has_its_reference(production, walk):
    events = [entry for entry in _entries(production) if "event" in entry]

    assert {entry["event"]["name"] for entry in events} >= {
        "signed_in",
        "sign_in_failed",
        "consent_given",
        "token_issued",
        "token_refused",
        "code_replayed",
        "signed_out",
    }
    assert all(re.fullmatch("[0-9a-f]{16}", entry["request"]) for entry in events)


@pytest.mark.attack("BROWSER-log-injection")
def test_nobody_outside_chooses_the_reference(production, own_client):
    production.caller().post_form(
        TOKEN, {"grant_type": "x"} | own_client, X_Request_ID="chosen", Traceparent="00-chosen"
    )

    assert "chosen" not in production.output


def _logged_under(production, answer):
    (reference,) = _REFERENCE.findall(answer.text)
    # It was written before the answer was sent, and is read from a pipe meanwhile.
    pause, rounds = threading.Event(), 0
    while not (found := [e for e in _entries(production) if e.get("request") == reference]):
        rounds += 1
        assert rounds < _ROUNDS, f"nothing is logged under {reference}"
        pause.wait(0.1)
    return found


@pytest.fixture
def session_table_away(production):
    """Take a table away from the running service."""
    production.change("ALTER TABLE session RENAME TO session_away")
    yield
    production.change("ALTER TABLE session_away RENAME TO session")


def test_a_database_error_is_logged_without_its_values(
    production, signed_in_cookies, session_table_away
):
    answer = production.caller().get(f"{AUTH}/", Cookie=signed_in_cookies)

    assert answer.status == 503
    logged = _logged_under(production, answer)
    (failed,) = [entry["message"] for entry in logged if "cannot answer" in entry["message"]]
    assert "no such table" in failed or 'relation "session" does not exist' in failed
    token = signed_in_cookies.partition("session_token=")[2].partition(".")[0]
    for value in (token, hashlib.sha256(token.encode()).hexdigest()):
        assert value not in production.output


def test_an_unexpected_error_is_logged_without_what_was_sent(production, own_client):
    walk = walk_in(production)
    _, url = _authorization_request(walk, own_client)
    production.change(
        "UPDATE oauth_client SET redirect_uris = 'not JSON' WHERE client_id = :client_id",
        client_id=own_client["client_id"],
    )

    answer = walk.get(url)

    assert answer.status == 500
    assert "Something went wrong here" in answer.text
    assert "Traceback" not in answer.text
    logged = _logged_under(production, answer)
    assert [entry for entry in logged if "Traceback" in entry.get("exception", "")]
    for secret in walk.secrets:
        assert secret not in production.output
