"""Debian's Chromium, driven by Playwright: one driver for all tests, since a process holds one.

Playwright is of a lock of its own and takes long to load, so nothing imports it before the tests.
"""

from contextlib import contextmanager

import pytest

from tests.helpers.parts import library, program

# A browser that looks up nothing and reports nothing while it is tested.
_QUIET = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
)


def playwright_api():
    """Return Playwright's module."""
    return library("playwright.sync_api", "browser")


def expect(subject):
    """Expect something of a page or a part of it, and wait for that."""
    return playwright_api().expect(subject)


@pytest.fixture(scope="session")
def launch_chromium():
    """Launch a browser with further arguments; all of them are closed in the end."""
    with launcher() as launch:
        yield launch


@contextmanager
def launcher():
    """Give what launches browsers, as the fixture does."""
    # The same browser without windows, of which every context would have one: a third of the work.
    path = program("chromium-headless-shell", otherwise=["chromium"])
    with playwright_api().sync_playwright() as playwright:
        launched = []

        def launch(*arguments):
            browser = playwright.chromium.launch(executable_path=path, args=[*_QUIET, *arguments])
            launched.append(browser)
            return browser

        yield launch
        for browser in launched:
            browser.close()
