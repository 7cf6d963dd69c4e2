"""The recipes for pages, which call the service by themselves: in Chromium, and with its client."""

import subprocess
import sys
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from tests.e2e import recipes
from tests.helpers.chromium import expect
from tests.helpers.node import node
from tests.helpers.ports import free_port
from tests.helpers.processes import Process

SIGNED_IN = "Signed in as Local Developer"


@pytest.mark.parametrize("opened_at", ["localhost", "127.0.0.1"])
def test_a_page_in_the_browser_signs_in_and_out_with_credentials(
    service, launch_chromium, tmp_path, opened_at
):
    with (
        browser_application(service, tmp_path) as port,
        launch_chromium().new_context() as context,
    ):
        page = context.new_page()
        page.goto(f"http://{opened_at}:{port}/")
        expect(page.get_by_text("Signed out")).to_be_visible()
        page.get_by_role("button", name="Sign in").click()
        page.locator("#sign-in-submit").click()
        expect(page.get_by_text(SIGNED_IN)).to_be_visible()
        assert page.url == f"http://localhost:{port}/"
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_text("Signed out")).to_be_visible()


def test_a_page_in_the_browser_says_that_the_service_is_busy_or_does_not_answer(
    subtests, busy, launch_chromium, tmp_path
):
    nothing = SimpleNamespace(url=f"http://localhost:{free_port()}")
    for service, said in (
        (busy, "Try again in a moment"),
        (nothing, f"No answer from {nothing.url}"),
    ):
        with (
            subtests.test(said=said),
            browser_application(service, tmp_path) as port,
            launch_chromium().new_context() as context,
        ):
            page = context.new_page()
            page.goto(f"http://localhost:{port}/")
            expect(page.get_by_text(said)).to_be_visible()


@contextmanager
def browser_application(service, folder):
    """Serve the page for browsers on a port of localhost."""
    _, text = recipes.all_recipes()["first-party-browser"]
    page_text = text.replace(recipes.DEFAULT_AUTH_URL, service.url)
    (folder / "index.html").write_text(page_text, encoding="utf-8")
    port = free_port()
    server = Process(
        [sys.executable, "-m", "http.server", port, "--bind", "127.0.0.1"],
        ready=f":{port}",
        cwd=folder,
    )
    try:
        yield port
    finally:
        server.stop()


def test_the_npm_client_reads_the_session(service, person, tmp_path):
    person.open(f"{service.url}/sign-in")
    cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in person.http.cookies)
    _, text = recipes.all_recipes()["first-party-better-auth"]
    client = text.replace(recipes.DEFAULT_AUTH_URL, service.url)
    (tmp_path / "auth.mjs").write_text(client, encoding="utf-8")
    (tmp_path / "main.mjs").write_text(
        """
        import { auth } from './auth.mjs'
        const headers = { cookie: process.env.COOKIES }
        const { data } = await auth.getSession({ fetchOptions: { headers } })
        console.log(data.user.name)
        """,
        encoding="utf-8",
    )
    recipes.give_node_packages(tmp_path)

    printed = subprocess.run(
        [node(), "main.mjs"],
        cwd=tmp_path,
        env={"COOKIES": cookies},
        check=True,
        capture_output=True,
        text=True,
    ).stdout

    assert printed == "Local Developer\n"
