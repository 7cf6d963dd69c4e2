"""A test program controls a server, and a browser of Playwright is signed in by one call."""

import json

import pytest
import requests

from tests.e2e.first_party import application_of
from tests.helpers.processes import LocalService
from tests.helpers.remote_control import RemoteControl

pytestmark = pytest.mark.engines("sqlite")


@pytest.fixture
def program(service):
    made = RemoteControl(service)
    made.ask("POST", "reset")
    return made


@pytest.fixture
def chromium(launch_chromium):
    browser = launch_chromium()
    yield browser
    browser.close()


def _user(tab):
    content = json.loads(tab.locator("body").inner_text())
    return content and content["user"]["name"]


def test_a_browser_is_signed_in_to_two_first_party_applications(service, program, chromium):
    program.ask("PUT", "persons/anna", {"name": "Anna"})
    begun = program.ask("POST", "sessions", {"person": "anna"})
    with (
        application_of(service.url) as first,
        application_of(service.url) as second,
        chromium.new_context(storage_state=begun["storage_state"]) as context,
    ):
        tab = context.new_page()
        for application in (first, second):
            tab.goto(application.url)
            assert _user(tab) == "Anna"
        # The companion came along: the account page is for the browser that signed in.
        tab.goto(f"{service.url}/account")
        assert tab.get_by_text("Anna").first.is_visible()

        program.ask("DELETE", f"sessions/{begun['session_id']}")
        for application in (first, second):
            tab.goto(application.url)
            assert _user(tab) is None


def test_two_browsers_are_two_persons(service, program, chromium):
    with application_of(service.url) as application:
        for name in ("Anna", "Bob"):
            program.ask("PUT", f"persons/{name}", {})
            begun = program.ask("POST", "sessions", {"person": name})
            with chromium.new_context(storage_state=begun["storage_state"]) as context:
                tab = context.new_page()
                tab.goto(application.url)
                assert _user(tab) == name


def test_two_processes_on_one_database_agree(service, program, tmp_path):
    other = LocalService(tmp_path, AUTH_DATABASE_URL=service.env["AUTH_DATABASE_URL"])
    try:
        beside = RemoteControl(other)
        program.ask("PUT", "persons/anna", {"name": "Anna"})
        assert beside.ask("GET", "persons")["persons"][1]["name"] == "Anna"

        begun = beside.ask("POST", "sessions", {"person": "anna"})
        # Of another process than the one that began it.
        program.ask("DELETE", f"sessions/{begun['session_id']}")
        requests.get(f"{service.url}/api/auth/ok", timeout=20).raise_for_status()
        (request,) = beside.ask("GET", "requests?after=0&wait=20")["requests"]
        assert (request["route"], request["status"]) == ("/api/auth/ok", 200)

        beside.ask("POST", "reset")
        assert len(program.ask("GET", "persons")["persons"]) == 1
    finally:
        other.stop()
