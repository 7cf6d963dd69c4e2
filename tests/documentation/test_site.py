"""The pages build without a warning, lead to what is there, and fetch nothing elsewhere."""

import os
import re
import subprocess
import sys
from urllib.parse import unquote, urlsplit

import pytest

from tests.documentation.markdown import FILES, links
from tests.documentation.site import Page
from tests.helpers.parts import library
from tests.helpers.ports import free_port
from tests.helpers.processes import ROOT, SCRIPTS, Process
from tests.openapi.described import operations

README = ROOT / "README.md"


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The folder that ``./run docs`` would fill."""
    folder = tmp_path_factory.mktemp("site")
    done = _build(ROOT, folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def _build(project, folder):
    library("mkdocs", "docs")
    # With --quiet it would not count its warnings, and --strict would let all of them pass.
    return subprocess.run(
        [SCRIPTS / "mkdocs", "build", "--strict", "--site-dir", folder],
        cwd=project,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="session")
def pages(site):
    files = [file for file in site.glob("**/*.html") if "assets" not in file.parts]
    return {file: Page(file) for file in files if file.name != "404.html"}


def test_every_link_leads_to_a_page_and_a_place_in_it(pages):
    dead = []
    for file, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            target = target / "index.html" if target.is_dir() else target
            anchors = pages[target].anchors if target in pages else set()
            if not target.is_file() or (parts.fragment and unquote(parts.fragment) not in anchors):
                dead.append(f"{file.name}: {link}")

    assert dead == []


def test_no_page_is_left_out_of_the_navigation(site, pages):
    linked = {
        (site / urlsplit(link).path).resolve()
        for link in pages[site / "index.html"].links
        if not urlsplit(link).scheme
    }
    framed = {
        (file.parent / shown).resolve() for file, page in pages.items() for shown in page.fetched
    }

    assert sorted(page.name for page in pages if page not in linked | framed) == []


def test_no_page_fetches_anything_from_another_host(pages):
    elsewhere = [
        f"{file.name}: {address}"
        for file, page in pages.items()
        for address in page.fetched
        if urlsplit(address).netloc
    ]

    assert elsewhere == []


def test_no_style_sheet_fetches_anything_from_another_host(site):
    sheets = list(site.glob("**/*.css"))

    found = [re.findall(r"(?:url\(|@import)[\s\"']*(?:https?:)?//", s.read_text()) for s in sheets]

    assert sheets
    assert [each for each in found if each] == []


def test_a_browser_shows_every_operation_and_asks_nobody_else(site, launch_chromium):
    """Scripts too: the search is used, and every request is looked at."""
    port = free_port()
    command = [sys.executable, "-m", "http.server", port, "--bind", "127.0.0.1", "-d", site]
    server = Process(command, ready=f":{port}")
    requested, complaints = [], []
    described = len(list(operations()))
    try:
        with launch_chromium().new_context() as context:
            page = context.new_page()
            page.on("request", lambda request: requested.append(request.url))
            page.on("pageerror", lambda error: complaints.append(error.message))
            # The page searches for what its address says, as soon as it is able to.
            page.goto(f"http://127.0.0.1:{port}/relying-parties.html?q=oauth2-proxy")
            page.locator(".md-search-result__link").first.wait_for(state="attached")
            page.goto(f"http://127.0.0.1:{port}/http-api.html")
            shown = page.frame_locator("iframe").locator(".opblock")
            shown.nth(described - 1).wait_for()
            page.wait_for_load_state("networkidle")
            count = shown.count()
    finally:
        server.stop()

    assert count == described
    assert len(requested) > 3
    assert {urlsplit(url).netloc for url in requested if not url.startswith("data:")} == {
        f"127.0.0.1:{port}"
    }
    assert complaints == []


def test_what_the_readme_links_to_is_there(site):
    dead = []
    for link in links(README):
        parts = urlsplit(link)
        if parts.scheme:
            continue
        file = ROOT / parts.path if parts.path else README
        anchors = _anchors(file, site) if parts.fragment else {""}
        if not file.is_file() or parts.fragment not in anchors:
            dead.append(link)

    assert dead == []


def _anchors(file, site):
    if file == README:
        headings = re.findall(r"^#+ (.+)$", file.read_text("utf-8"), flags=re.MULTILINE)
        return {re.sub(r"[^\w\- ]", "", name.lower()).replace(" ", "-") for name in headings}
    return Page(site / file.relative_to(ROOT / "docs").with_suffix(".html")).anchors


def test_an_address_elsewhere_is_a_whole_one(subtests):
    # Whether a server answers there is not checked: the tests need no network.
    for file in FILES:
        with subtests.test(file.name):
            addresses = [link for link in links(file) if urlsplit(link).scheme]

            wrong = [
                link for link in addresses if not re.fullmatch(r"https://[\w.-]+\.\w+(/\S*)?", link)
            ]

            assert wrong == []


def test_a_link_to_a_file_beside_the_pages_is_its_name_there_and_a_fault_when_it_is_gone(tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "index.md").write_text("[there](../mkdocs.yml), [gone](../gone.ini)", encoding="utf-8")
    configuration = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("nav:")[0]
    hooks = "tools/documentation/"
    configuration = configuration.replace(hooks, f"{ROOT / hooks}/")
    (tmp_path / "mkdocs.yml").write_text(configuration, encoding="utf-8")

    done = _build(tmp_path, tmp_path / "site")

    assert done.returncode != 0
    assert "'../gone.ini'" in done.stderr
    assert "mkdocs.yml'" not in done.stderr
