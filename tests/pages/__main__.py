"""Take the pictures of the pages that the documentation shows: ``python -m tests.pages``."""

import json
from io import BytesIO
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import parse_qs, urlsplit

from PIL import Image

from tests.helpers.chromium import launcher
from tests.helpers.processes import ROOT, LocalService
from tests.helpers.relying_party import TOKEN
from tests.pages import situations
from tests.pages.application import Application
from tests.pages.visit import VERIFIER, Visit, arrives

FOLDER = ROOT / "docs" / "images"
HOST = "localhost:3000"  # the application of the README
REDIRECT_URI = f"http://{HOST}/callback"
SCREENS = {
    "": {"viewport": {"width": 800, "height": 500}, "device_scale_factor": 1.5},
    "-phone": {"viewport": {"width": 360, "height": 640}, "device_scale_factor": 2},
}
SCHEMES = {"": "light", "-dark": "dark"}
COLOURS = 64


def account(visit):
    """Open the account of a user whose application holds tokens."""
    visit.has_signed_in_elsewhere()
    visit.connect()
    arrives(visit)
    form = {
        "grant_type": "authorization_code",
        "client_id": visit.client_id,
        "redirect_uri": visit.redirect_uri,
        "code": parse_qs(urlsplit(visit.tab.url).query)["code"][0],
        "code_verifier": VERIFIER,
    }
    assert visit.tab.context.request.post(f"{visit.service_url}{TOKEN}", form=form).ok
    visit.go("/account")


PAGES = {
    "sign-in": situations.sign_in_for_client,
    "consent": situations.consent,
    "account": account,
}


def main():
    """Write every picture."""
    with launcher() as launch:
        take(launch, product(PAGES, SCREENS), FOLDER)


def take(launch, pictures, folder):
    """Write pictures into a folder, each a page on a screen, and say how large they are."""
    site = Application()
    try:
        port = site.origin.rpartition(":")[2]
        browser = launch(f"--host-resolver-rules=MAP {HOST} 127.0.0.1:{port}")
        for page, screen in pictures:
            _take(browser, page, screen, folder)
    finally:
        site.close()


def _take(browser, page, screen, target):
    """Take the pictures of one page at a service that has not been used before."""
    with TemporaryDirectory() as folder, browser.new_context(**SCREENS[screen]) as context:
        service = LocalService(Path(folder))
        try:
            visit = Visit(context.new_page(), service.url, _register(service), REDIRECT_URI)
            PAGES[page](visit)
            for suffix, scheme in SCHEMES.items():
                visit.tab.emulate_media(color_scheme=scheme, reduced_motion="reduce")
                _keep(visit.tab, target / f"{page}{screen}{suffix}.png")
        finally:
            service.stop()


def _register(service):
    command = ["authservice-register", "--name", "Reading List", "--public", "--json"]
    return json.loads(service.command(*command, "--redirect-uri", REDIRECT_URI))["client_id"]


def _keep(tab, file):
    picture = Image.open(BytesIO(tab.screenshot(full_page=True)))
    # A page has few colours: with a palette of them the file is a third as large.
    picture.convert("RGB").quantize(COLOURS).save(file, optimize=True)
    print(f"{file}: {file.stat().st_size // 1024} KB")


if __name__ == "__main__":
    main()
