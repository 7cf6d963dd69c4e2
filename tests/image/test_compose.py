"""The compose example, one container for each of its services.

There is no engine that reads the file, so the test does. A line in the container's list of hosts
stands for the network alias, and the image of local mode, which has Python, for Python's own.
"""

import pytest
import yaml

from tests.helpers.chromium import expect
from tests.helpers.processes import ROOT
from tests.image.store import LOCAL

FOLDER = ROOT / "docs" / "compose"
ALIAS = "--add-host=auth.localhost:127.0.0.1"


@pytest.fixture(scope="module")
def services():
    return yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))["services"]


@pytest.fixture(scope="module")
def application(start, volume, services):
    """Start both services; return the address that people open."""
    start("auth", LOCAL, *volume, *environment(services["auth"]))
    application = services["application"]
    file, name, mode = application["volumes"][0].split(":")
    mounted = f"--volume={FOLDER / file}:{name}:{mode}"
    start(
        "application",
        LOCAL,
        *(mounted, ALIAS, f"--stop-signal={application['stop_signal']}", *environment(application)),
        command=application["command"],
    )
    return application["environment"]["APP_URL"]


def environment(service):
    return [f"--env={name}={value}" for name, value in service["environment"].items()]


def test_the_application_reaches_the_service_by_the_name_that_the_browser_uses(services):
    aliases = services["auth"]["networks"]["default"]["aliases"]

    assert [f"http://{alias}:37960" for alias in aliases] == [
        services["auth"]["environment"]["AUTH_URL"]
    ]
    assert services["application"]["environment"]["AUTH_URL"] == f"http://{aliases[0]}:37960"
    assert services["auth"]["ports"] == ["127.0.0.1:37960:37960"]


def test_a_person_signs_in_to_the_application(application, launch_chromium):
    with launch_chromium().new_context() as context:
        page = context.new_page()
        page.goto(application)

        page.get_by_role("link", name="Sign in").click()
        page.get_by_role("button", name="Continue as local developer").click()

        expect(page.get_by_text("Signed in as Local Developer")).to_be_visible()
        assert page.url == f"{application}/"
