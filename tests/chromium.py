"""Debian's Chromium, driven by Playwright: one driver for all tests, since a process holds one."""

import shutil
from contextlib import contextmanager

import pytest
from playwright.sync_api import sync_playwright

from tests.parts import program

# A browser that looks up nothing and reports to nobody while it is tested.
_QUIET = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
)


@pytest.fixture(scope="session")
def launch_chromium():
    """Launch a browser with further arguments; all of them are closed in the end."""
    with launcher() as launch:
        yield launch


@contextmanager
def launcher():
    """Give what launches browsers, as the fixture does."""
    # The same browser without windows, of which every context would have one: a third of the work.
    path = shutil.which("chromium-headless-shell") or program("chromium")
    with sync_playwright() as playwright:
        launched = []

        def launch(*arguments):
            browser = playwright.chromium.launch(executable_path=path, args=[*_QUIET, *arguments])
            launched.append(browser)
            return browser

        yield launch
        for browser in launched:
            browser.close()
