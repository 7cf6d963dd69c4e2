"""The files that pages name: kept by browsers for good, and the operator's own where wanted."""

import gzip

import pytest
from webob import Request

from tests.helpers.browser import ORIGIN, Browser

SVG = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h8v8z"/></svg>'


def addresses(browser):
    head = browser.get("/").html.head
    return {link["rel"][0]: link["href"] for link in head.find_all("link")}


def test_the_version_that_a_page_names_may_be_kept_for_good(browser):
    for address in addresses(browser).values():
        answer = browser.get(address)

        assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert answer.headers["Vary"] == "Accept-Encoding"


@pytest.mark.parametrize("query", ["", "?v=", "?v=0123456789abcdef"])
def test_what_another_version_names_is_kept_for_an_hour(browser, query):
    answer = browser.get(f"/static/authservice.css{query}")

    assert answer.status_int == 200
    assert answer.content_type == "text/css"
    assert answer.headers["Cache-Control"] == "public, max-age=3600"


def test_who_has_a_file_gets_no_second_one(browser):
    address = addresses(browser)["stylesheet"]
    tag = browser.get(address).headers["ETag"]

    for known in (tag, tag.removeprefix("W/"), f'"other", {tag}'):
        answer = browser.get(address, headers={"If-None-Match": known})
        assert answer.status_int == 304
        assert answer.body == b""
    assert browser.get(address, headers={"If-None-Match": '"other"'}).status_int == 200


def test_a_style_sheet_is_compressed_for_who_can_read_it(app, browser):
    address = f"{ORIGIN}{addresses(browser)['stylesheet']}"

    def get_with(**headers):
        return Request.blank(address, headers=headers).get_response(app)

    compressed = get_with(**{"Accept-Encoding": "br, gzip"})
    plain = get_with()
    refused = get_with(**{"Accept-Encoding": "gzip;q=0"})

    assert compressed.headers["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in plain.headers
    assert gzip.decompress(compressed.body) == plain.body == refused.body
    assert len(plain.body) < 15_000
    assert len(compressed.body) < 5_000


def test_unknown_files_are_not_found(browser):
    for name in ("nowhere.css", "..", "authservice.css/x", "routes.py"):
        assert browser.get(f"/static/{name}", expect_errors=True).status_int == 404
    assert browser.post("/static/authservice.css", expect_errors=True).status_int == 404


def test_the_operators_logo_takes_the_place_of_ours(make_app, tmp_path):
    (tmp_path / "logo.svg").write_bytes(SVG)
    browser = Browser(make_app(branding__logo=str(tmp_path / "logo.svg")))

    page = browser.get("/").html
    answer = browser.get(page.header.img["src"])

    assert answer.body == SVG
    assert answer.content_type == "image/svg+xml"
    assert answer.headers["Content-Security-Policy"].startswith("default-src 'none';")
    assert "sandbox" in answer.headers["Content-Security-Policy"]
    assert page.find("link", rel="icon")["type"] == "image/svg+xml"


def test_the_operators_colour_is_in_the_one_style_sheet(make_app, browser):
    coloured = Browser(make_app(branding__accent_colour="#7a1fa2"))

    style = coloured.get(addresses(coloured)["stylesheet"])
    icon = coloured.get(addresses(coloured)["icon"])

    assert "--accent: #7a1fa2;" in style.text
    assert "#7a1fa2" in icon.text
    assert len(style.body) < 15_000
    assert addresses(coloured)["stylesheet"] != addresses(browser)["stylesheet"]


def test_links_of_the_operator_stand_on_every_page(make_app):
    links = {
        "branding__privacy_url": "https://example.com/privacy?a=1&b=2",
        "branding__imprint_url": "https://example.com/imprint",
        "branding__help_url": "https://example.com/help",
    }
    browser = Browser(make_app(**links))

    for path in ("/", "/sign-in", "/nowhere", "/signed-out"):
        page = browser.get(path, expect_errors=True).html
        assert [link["href"] for link in page.footer.find_all("a")] == list(links.values())


def test_without_links_there_is_no_list_of_them(browser):
    assert browser.get("/").html.footer.nav is None
