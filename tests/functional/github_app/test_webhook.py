"""POST provider/webhook: signed events are taken, and everything else is refused."""

import json

import pytest
from sqlalchemy import func, select

from authservice.models import provider_event
from tests.helpers import github_app, provider_events
from tests.helpers.production import production_browser

LEFT = provider_events.organization("member_removed")
LONGEST = 1024 * 1024


@pytest.fixture
def written(database):
    """How many events have been written down."""
    count = select(func.count()).select_from(provider_event)
    return lambda: database.reader.scalar(count)


@pytest.mark.story("provider.webhook")
def test_an_event_about_a_person_is_written_down(subtests, send, written):
    for event, content in (
        ("organization", LEFT),
        ("membership", provider_events.membership("removed")),
        ("org_block", provider_events.org_block("blocked")),
    ):
        with subtests.test(event=event):
            before = written()

            answer = send(event, content)

            assert answer.json == {}
            assert answer.headers["Cache-Control"] == "no-store"
            assert written() == before + 1


def test_events_about_lists_are_not_written_down(subtests, send, written):
    for event, content in (
        ("team", provider_events.team("edited")),
        ("installation", provider_events.installation("suspend")),
    ):
        with subtests.test(event=event):
            assert send(event, content).json == {}
            assert written() == 0


def test_other_events_are_taken_and_ignored(subtests, send, written):
    for event in ("ping", "push", "", "sponsorship"):
        with subtests.test(event=event):
            before = written()

            send(event, {"zen": "Design for failure."})

            assert written() == before


def test_the_same_body_is_written_down_once(send, written):
    for number in range(3):
        send("organization", LEFT, headers={"X-GitHub-Delivery": f"d-{number}"})

    assert written() == 1


SIGNATURES = {
    "missing": None,
    "empty": "",
    "of another body": github_app.signed("x", {"action": "other"})[1]["X-Hub-Signature-256"],
    "under another secret": github_app.signed("x", LEFT, secret="another secret")[1][
        "X-Hub-Signature-256"
    ],
    "without its prefix": github_app.signed("x", LEFT)[1]["X-Hub-Signature-256"][7:],
    "of another hash": "sha1=" + "0" * 40,
    "too long": "sha256=" + "0" * 4000,
    "no hexadecimal": "sha256=" + "x" * 64,
    "not ASCII": "sha256=\xe9",
}


@pytest.mark.attack("ADMISSION-event-forged")
def test_an_event_that_the_provider_did_not_sign_is_refused(subtests, send, written, caplog):
    for name, signature in SIGNATURES.items():
        with subtests.test(name=name):
            caplog.clear()
            before = written()

            answer = send("organization", LEFT, 401, headers={"X-Hub-Signature-256": signature})

            assert answer.json["code"] == "INVALID_SIGNATURE"
            assert answer.headers["WWW-Authenticate"] == "X-Hub-Signature-256"
            assert written() == before
            (line,) = [each for each in caplog.records if each.name.endswith("webhook")]
            assert line.getMessage() == (
                "refused an event that is not signed under PROVIDER_WEBHOOK_SECRET"
            )


@pytest.mark.attack("ADMISSION-event-forged")
def test_the_older_signature_counts_for_nothing(send):
    older = {"X-Hub-Signature-256": None, "X-Hub-Signature": "sha1=" + "0" * 40}

    send("organization", LEFT, 401, headers=older)


def test_what_is_no_json_object_is_refused(subtests, send):
    for body in (b"", b"no json", b"[" * 5000, b"\xff", b"{", b'"text"', b"[]"):
        with subtests.test(body=body):
            assert send("organization", body, 400).json["code"]


def test_another_content_type_is_refused(subtests, send):
    for kind in ("application/x-www-form-urlencoded", "text/plain", ""):
        with subtests.test(kind=kind):
            answer = send("organization", b"payload=%7B%7D", 415, headers={"Content-Type": kind})

            assert answer.json["message"] == "The body must be application/json"


def test_a_body_has_one_mebibyte_at_most(send):
    padding = LONGEST - len(json.dumps(LEFT | {"padding": ""}))
    send("organization", LEFT | {"padding": "x" * padding})

    answer = send("organization", LEFT | {"padding": "x" * (padding + 1)}, 413)

    assert answer.json["code"] == "PAYLOAD_TOO_LARGE"


def test_every_other_address_takes_as_little_as_before(production):
    sender = production_browser(production)

    sender.post("/api/auth/oauth2/token", b"x" * (64 * 1024 + 1), status=413)


def test_events_are_posted(production):
    answer = production_browser(production).get(github_app.WEBHOOK, status=405)

    assert answer.headers["Allow"] == "POST, OPTIONS"


def test_without_a_secret_there_is_no_such_address(make_production):
    sender = production_browser(make_production({"PROVIDER_WEBHOOK_SECRET": ""}))
    body, headers = github_app.signed("organization", LEFT)

    sender.post(github_app.WEBHOOK, body, headers, status=404)
    assert "Allow" not in sender.get(github_app.WEBHOOK, status=404).headers


def test_without_an_app_there_is_no_such_address(make_production):
    names = ("PROVIDER_APP_ID", "PROVIDER_APP_PRIVATE_KEY", "PROVIDER_WEBHOOK_SECRET")
    app = make_production(dict.fromkeys(names, ""))
    body, headers = github_app.signed("organization", LEFT)

    production_browser(app).post(github_app.WEBHOOK, body, headers, status=404)


def test_no_page_of_another_site_reads_an_answer(send):
    answer = send("ping", {}, headers={"Origin": "https://app.example.com"})

    assert "Access-Control-Allow-Origin" not in answer.headers


@pytest.mark.attack("ADMISSION-event-flood")
def test_junk_is_held_back_and_what_is_signed_is_not(make_production):
    app = make_production()
    sender = production_browser(app)
    body, headers = github_app.signed("organization", LEFT)
    wrong = headers | {"X-Hub-Signature-256": "sha256=0"}
    limit = app.registry.components.settings.request_limits.client_failures
    for _ in range(limit):
        sender.post(github_app.WEBHOOK, body, wrong, status=401)

    refused = sender.post(github_app.WEBHOOK, body, wrong, status=429)

    assert int(refused.headers["Retry-After"]) > 0
    assert refused.json["code"] == "TOO_MANY_REQUESTS"
    for _ in range(2 * limit):
        sender.post(github_app.WEBHOOK, body, headers, status=202)
