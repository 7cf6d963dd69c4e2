"""A sign-in that a script of an application begins, and what that script learns of it."""

import re

import pytest

from tests.behind_proxy.deployment import APP, AUTH, PROVIDER
from tests.behind_proxy.person import MONA, sees
from tests.helpers.chromium import expect
from tests.helpers.npm_bundle import bundle_client

BEGIN = f"{AUTH}/api/auth/sign-in/begin"
# Whatever a script may read of an answer and of the way to it.
_FETCH = """async ([address, options]) => {
    const answer = await fetch(address, options).catch(error => ({ type: error.message }))
    const text = answer.text ? await answer.text() : ""
    const seen = performance.getEntries().map(entry => entry.name)
    return JSON.stringify([answer.type, answer.url ?? "", text, seen])
}"""


@pytest.fixture(scope="session")
def client(tmp_path_factory):
    """The npm client, as a script for a page."""
    return bundle_client(tmp_path_factory.mktemp("client"))


def _attempts(tab):
    return [each["name"] for each in tab.context.cookies() if ".sign_in." in each["name"]]


def test_the_npm_client_leads_to_the_provider_and_back_without_a_page_of_ours(tab, client):
    tab.goto(f"{APP}/?service={AUTH}")
    tab.add_script_tag(path=client)
    wanted = {"provider": "github", "callbackURL": f"{APP}/"}

    tab.evaluate("wanted => void client.signIn.social(wanted)", wanted)

    tab.wait_for_url(re.compile(f"^{re.escape(PROVIDER)}/login"))
    tab.get_by_label("octocat").check()
    tab.get_by_role("button", name="Authorize").click()
    expect(tab).to_have_url(f"{APP}/")
    sees(tab, MONA)


@pytest.mark.attack("BROWSER-planted-session")
def test_a_script_of_a_sibling_learns_no_state_and_makes_no_attempt(subtests, tab):
    for options, told in (
        ({}, "Failed to fetch"),
        ({"redirect": "manual"}, "Failed to fetch"),
        ({"mode": "no-cors"}, "opaque"),
    ):
        with subtests.test(options=options):
            tab.context.clear_cookies()
            tab.goto(APP)
            learnt = tab.evaluate(_FETCH, [BEGIN, options | {"credentials": "include"}])
            assert told in learnt
            assert "state" not in learnt
            assert _attempts(tab) == []


@pytest.mark.attack("BROWSER-planted-session")
def test_a_frame_of_a_sibling_makes_no_attempt(tab):
    tab.goto(APP)
    with tab.expect_response(re.compile(f"^{re.escape(AUTH)}/sign-in")):
        tab.evaluate(
            """address => {
                document.body.append(Object.assign(document.createElement("iframe"),
                    { src: address }))
            }""",
            BEGIN,
        )

    assert _attempts(tab) == []
