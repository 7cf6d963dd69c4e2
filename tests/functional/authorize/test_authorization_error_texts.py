"""The page for a redirect URI that is not registered: much in local mode, little in production."""

import io
import json
import logging

import pytest

from authservice.logs import JSONLines
from tests.helpers.production import production_app, production_browser
from tests.helpers.relying_party import AUTHORIZE, RelyingParty

REGISTERED = "https://app.example.com/callback"
LONGER = "https://app.example.com/callback/native"
RULE = "it must be the same, character by character"


@pytest.fixture
def log():
    """What is logged as JSON lines, with the reference of each request."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JSONLines())
    logger = logging.getLogger("authservice")
    logger.addHandler(handler)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    logger.removeHandler(handler)


@pytest.fixture
def client(app, database):
    return RelyingParty.registered(app, database, redirect_uris=[REGISTERED, LONGER])


@pytest.fixture
def in_production(make_app, monkeypatch, database):
    app = production_app(make_app, monkeypatch)
    client = RelyingParty.registered(app, database, redirect_uris=[REGISTERED, LONGER])
    return client, production_browser(app)


def refused(client, browser, uri):
    answer = browser.get(AUTHORIZE, client.request(redirect_uri=uri), expect_errors=True)
    assert answer.status_int == 400
    assert "Location" not in answer.headers
    assert RULE in answer.text
    return answer


def marked(answer):
    """Return the two addresses of the page, each parted where the mark begins."""
    parts = {}
    for label in answer.html.select("section.facts dt"):
        mark = label.find_next_sibling("dd").find("mark")
        if mark is not None:
            whole = label.find_next_sibling("dd").get_text().strip()
            at = mark.get_text().strip()
            parts[label.get_text()] = (whole.removesuffix(at).strip(), at)
    return parts


def test_local_mode_marks_the_first_difference_from_the_nearest_registered_uri(
    subtests, browser, client
):
    for received, common, received_rest, registered_rest in (
        ("https://app.example.com/Callback", "https://app.example.com/", "Callback", "callback"),
        ("http://app.example.com/callback", "http", "://app.example.com/callback", None),
        (f"{REGISTERED}?x=y", REGISTERED, "?x=y", "ends here"),
        ("https://app.example.com/", "https://app.example.com/", "ends here", "callback"),
        (f"{LONGER}s", LONGER, "s", "ends here"),
        (f"{REGISTERED}/nature", f"{REGISTERED}/nat", "ure", "ive"),
        ("com.example.app:/x", "", "com.example.app:/x", REGISTERED),
    ):
        with subtests.test(
            received=received,
            common=common,
            received_rest=received_rest,
            registered_rest=registered_rest,
        ):
            parts = marked(refused(client, browser, received))

            assert parts["Received"] == (common, received_rest)
            assert parts["Registered"][0] == common
            assert parts["Registered"][1] == (registered_rest or REGISTERED.removeprefix(common))


def test_local_mode_lists_every_registered_uri(browser, client):
    page = refused(client, browser, "https://app.example.com/x")

    listed = [each.get_text().strip() for each in page.html.select("section.facts dd")][2:]
    assert listed == [REGISTERED, LONGER]


@pytest.mark.attack("BROWSER-script-injection")
def test_what_was_received_is_shown_as_text_only(browser, client):
    page = refused(client, browser, "https://app.example.com/<script>alert(1)</script>\u202e")

    assert "<script>" not in page.text
    assert "\u202e" not in page.text


@pytest.mark.parametrize("uri", [None, ""])
def test_without_a_uri_there_is_no_difference_to_show(browser, client, uri):
    answer = browser.get(AUTHORIZE, client.request(redirect_uri=uri), expect_errors=True)

    assert answer.status_int == 400
    assert "redirect_uri is missing." in answer.text
    assert marked(answer) == {}


def test_an_unknown_client_is_named_as_the_rule_and_nothing_is_compared(browser, client):
    answer = browser.get(AUTHORIZE, client.request(client_id="nobody"), expect_errors=True)

    assert answer.status_int == 400
    assert "client_id names no client known here." in answer.text
    assert "invalid_client" in answer.text
    assert marked(answer) == {}


def test_production_names_the_rule_and_a_reference_and_no_address(in_production):
    client, browser = in_production

    page = refused(client, browser, "https://app.example.com/x")

    assert "app.example.com" not in page.text
    assert marked(page) == {}
    assert "invalid_redirect_uri" in page.text


def test_the_log_has_the_difference_under_the_page_s_reference(in_production, log):
    client, browser = in_production

    page = refused(client, browser, "https://app.example.com/x\n")

    terms = {dt.get_text(): dt.find_next("dd").get_text() for dt in page.html.select(".codes dt")}
    (entry,) = [entry for entry in log() if entry["request"] == terms["Reference"]]
    assert entry["level"] == "WARNING"
    for told in ("invalid_redirect_uri", "'https://app.example.com/x\\n'", REGISTERED, LONGER):
        assert told in entry["message"]


def test_each_page_has_a_reference_of_its_own(in_production, log):
    client, browser = in_production

    for _ in range(2):
        refused(client, browser, "https://app.example.com/x")

    assert len({entry["request"] for entry in log()}) == 2
