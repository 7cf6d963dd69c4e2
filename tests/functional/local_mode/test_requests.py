"""The log of requests: what was requested, what was wrong, and no secret."""

import threading
from pathlib import Path

import pytest

from tests.helpers.browser import Browser
from tests.helpers.relying_party import RelyingParty


def _requests(control, **query):
    return control.get("requests", query=query)["requests"]


def _last(control):
    return _requests(control)[-1]


def test_a_request_is_there_with_route_parameters_and_status(app, control):
    Browser(app).get("/sign-in", {"callbackURL": "/account", "a": ["1", "2"]})

    found = _last(control)

    assert (found["method"], found["route"], found["status"]) == ("GET", "/sign-in", 200)
    assert found["query"] == {"callbackURL": "/account", "a": ["1", "2"]}
    assert (found["refused"], found["redirect"]) == (None, None)


def test_a_refused_authorization_request_says_why_on_its_page(app, control):
    Browser(app).get("/api/auth/oauth2/authorize", {"client_id": "x"}, expect_errors=True)

    found = _last(control)

    assert found["status"] == 400
    assert found["refused"]["code"]
    assert found["refused"]["description"] == "redirect_uri is missing."


def test_one_that_is_answered_at_the_client_says_why_in_the_redirect(app, control, database):
    relying_party = RelyingParty.registered(app, database)
    relying_party.authorize(Browser(app), scope="nonsense")

    found = _last(control)

    assert found["refused"]["code"] == "invalid_scope"
    assert found["refused"]["description"]
    assert found["redirect"]["address"] == relying_party.redirect_uri
    assert found["redirect"]["parameters"]["error"] == "invalid_scope"


def test_one_that_is_answered_by_a_form_says_why_in_the_form(app, control, database):
    relying_party = RelyingParty.registered(app, database)
    relying_party.authorize(Browser(app), scope="nonsense", response_mode="form_post")

    assert _last(control)["refused"]["code"] == "invalid_scope"


def test_a_token_request_says_why_and_shows_no_secret(app, control, database):
    relying_party = RelyingParty.registered(app, database)
    Browser(app).post(
        "/api/auth/oauth2/token",
        {
            "grant_type": "authorization_code",
            "client_id": relying_party.client_id,
            "client_secret": relying_party.client_secret,
            "code": "the-code",
            "code_verifier": "the-verifier" * 5,
            "redirect_uri": relying_party.redirect_uri,
        },
        expect_errors=True,
    )

    found = _last(control)

    assert found["refused"]["code"] == "invalid_grant"
    assert found["body"]["grant_type"] == "authorization_code"
    assert found["body"]["redirect_uri"] == relying_party.redirect_uri
    masked = {name for name, value in found["body"].items() if value == "***"}
    assert masked == {"client_secret", "code", "code_verifier"}


def test_the_session_api_says_why(app, control):
    Browser(app).post_json("/api/auth/revoke-session", {"token": "secret"}, expect_errors=True)

    found = _last(control)

    assert found["refused"]["code"] == "UNAUTHORIZED"
    assert "secret" not in str(found)


def test_what_a_gate_refuses_is_there_too(app, control):
    Browser(app).get("/", headers={"Host": "evil.example"}, expect_errors=True)

    assert _last(control)["refused"]["code"] == "HOST_NOT_ALLOWED"


def test_of_too_many_parameters_the_first_are_there(app, control):
    Browser(app).get("/?" + "&".join(f"p{number}=x" for number in range(500)))

    assert list(_last(control)["query"]) == [f"p{number}" for number in range(100)]


@pytest.mark.attack("LOCAL-secrets-in-the-log")
def test_no_secret_of_a_whole_sign_in_is_in_the_log(app, control, database):
    browser, relying_party = Browser(app), RelyingParty.registered(app, database)
    code = relying_party.sign_in_with(browser, scope="openid offline_access", nonce="a-nonce-1")
    tokens = relying_party.redeem(code).json
    relying_party.refresh(tokens["refresh_token"])
    relying_party.userinfo(tokens["access_token"])

    text = str(_requests(control))

    assert [each["route"] for each in _requests(control)].count("/api/auth/oauth2/token") == 2
    secrets = [tokens[name] for name in ("access_token", "refresh_token", "id_token")]
    cookies = [cookie.value for cookie in browser.cookiejar]
    for secret in [*secrets, *cookies, relying_party.client_secret, control.token, "a-nonce-1"]:
        assert secret.strip('"') not in text


def test_control_itself_is_not_in_it(control):
    control.get("persons")
    control.ask("GET", "nowhere")

    assert _requests(control) == []


def test_only_those_after_a_number_are_wanted(app, control):
    for path in ("/", "/sign-in", "/error"):
        Browser(app).get(path, expect_errors=True)
    first, *others = _requests(control)

    assert _requests(control, after=first["id"]) == others
    assert _requests(control, after=others[-1]["id"]) == []


def test_the_last_thousand_are_kept(app, control):
    browser = Browser(app)
    for _ in range(1010):
        browser.get("/api/auth/ok")

    kept = _requests(control)

    assert len(kept) == 1000
    assert [each["id"] for each in kept] == list(range(11, 1011))


def test_the_next_request_is_waited_for(app, control):
    Browser(app).get("/")
    found = []
    waiting = threading.Thread(target=lambda: found.extend(_requests(control, wait=20)))
    waiting.start()

    while waiting.is_alive():
        Browser(app).get("/sign-in")

    assert {each["route"] for each in found} == {"/sign-in"}


def test_a_wait_ends_without_a_request(control):
    assert _requests(control, wait=0.05) == []


@pytest.mark.parametrize(("number", "shown"), [("NaN", "nan"), ("-1e999", "-inf"), ("1", 1)])
def test_a_number_that_json_has_not_is_shown_as_text(app, control, number, shown):
    body = f'{{"callbackURL": {number}}}'
    headers = {"Content-Type": "application/json"}
    Browser(app).post("/api/auth/sign-in/social", body, headers=headers, expect_errors=True)

    assert _last(control)["body"] == {"callbackURL": shown}


@pytest.mark.engines("sqlite")
def test_a_damaged_file_harms_no_answer(app, control, database):
    Path(f"{database.url.database}.requests").write_bytes(b"no database" * 100)

    for _ in range(200):
        assert Browser(app).get("/api/auth/ok").status_int == 200
        app.registry.components.request_log.write()


@pytest.mark.engines("sqlite")
def test_a_request_of_another_process_is_seen(make_app, control):
    Browser(make_app()).get("/sign-in")

    found = _requests(control, after=0, wait=20)

    assert [each["route"] for each in found] == ["/sign-in"]


@pytest.mark.engines("sqlite")
def test_a_reset_forgets_what_another_process_has_not_shown_yet(make_app, control):
    other = Browser(make_app())
    other.get("/sign-in")
    control.post("reset")
    other.get("/")

    found = _requests(control, after=0, wait=20)

    assert [each["route"] for each in found] == ["/"]


@pytest.mark.attack("LOCAL-bad-request")
def test_a_wrong_parameter_is_refused(subtests, control):
    for query, field in (
        ({"after": "x"}, "after"),
        ({"after": "-1"}, "after"),
        ({"after": "9" * 16}, "after"),
        ({"wait": "x"}, "wait"),
        ({"wait": "-1"}, "wait"),
        ({"wait": "31"}, "wait"),
        ({"wait": "nan"}, "wait"),
        ({"wait": "inf"}, "wait"),
        ({"wait": "1_0"}, "wait"),
        ({"wait": " 1"}, "wait"),
        ([("after", "1"), ("after", "2")], "after"),
        ({"since": "1"}, "since"),
    ):
        with subtests.test(query=query, field=field):
            answer = control.ask("GET", "requests", query=query)

            assert (answer.status_int, answer.json["field"]) == (400, field)
