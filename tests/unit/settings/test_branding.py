"""Branding: what cannot be shown safely stops the start, with the remedy."""

import pytest

from tests.unit.settings.loading import local, problems, production

SVG = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h8v8z"/></svg>'
PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)
XLINK = b'xmlns:xlink="http://www.w3.org/1999/xlink"'


def _svg(inside, attributes=b""):
    return SVG.replace(b"<path", inside + b"<path").replace(b"<svg ", b"<svg " + attributes + b" ")


@pytest.fixture
def file(tmp_path):
    def write(content):
        (tmp_path / "logo").write_bytes(content)
        return {"branding.logo": str(tmp_path / "logo")}

    return write


def test_nothing_is_needed():
    branding = production().branding

    assert branding.logo is None
    assert branding.accent_colour is None
    assert (branding.privacy_url, branding.imprint_url, branding.help_url) == (None, None, None)


def test_the_type_of_a_logo_follows_from_its_content(subtests, file):
    for content, media_type in (
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0" + bytes(100), "image/jpeg"),
        (b"RIFF\x0a\x0a\x0a\x0aWEBPVP8 ", "image/webp"),
        (SVG, "image/svg+xml"),
        (b'<?xml version="1.0"?>\n' + SVG, "image/svg+xml"),
        (_svg(b"<style>path{fill:red}</style>"), "image/svg+xml"),
        (_svg(b'<use xlink:href="#a"/>', XLINK), "image/svg+xml"),
    ):
        with subtests.test(content=content, media_type=media_type):
            logo = production(file(content)).branding.logo

            assert (logo.content, logo.media_type) == (content, media_type)


def test_another_file_is_no_logo(subtests, file):
    for content in (
        b"",
        b"GIF89a",
        b"<html><body>no</body></html>",
        b"<svg>no namespace</svg>",
        SVG[:-1],
        b"\xff\xfe<",
        b'<!DOCTYPE svg [<!ENTITY a "aa">]>' + SVG,
        _svg(b"<script>alert(1)</script>"),
        _svg(b"<foreignObject/>"),
        _svg(b'<body xmlns="http://www.w3.org/1999/xhtml"/>'),
        _svg(b"", b'onload="alert(1)"'),
        _svg(b'<a href="javascript:alert(1)"/>'),
        _svg(b'<image href="https://example.com/x.png"/>'),
        _svg(b'<use xlink:href="other.svg#a"/>', XLINK),
    ):
        with subtests.test(content=content):
            names, message = problems(production, file(content))

            assert names == ["branding.logo (BRANDING_LOGO)"]
            assert "must be a PNG, JPEG or WebP picture, or an SVG without script" in message


def test_a_logo_that_is_too_large_or_not_there_is_refused(file, tmp_path):
    _, message = problems(production, file(PNG + bytes(16 * 1024)))
    assert "at most 16 KiB" in message

    for missing in (tmp_path / "missing", tmp_path):
        names, message = problems(production, (), {"BRANDING_LOGO": str(missing)})
        assert names == ["BRANDING_LOGO"]
        assert "must name a file that this process can read" in message


def test_a_colour_is_taken_in_either_case():
    assert production({"branding.accent_colour": "#AbCdEf"}).branding.accent_colour == "#abcdef"


def test_another_way_to_write_a_colour_is_refused(subtests):
    for colour in ("red", "#fff", "abcdef", "#12345g", "#1234567", "#fff;}*{"):
        with subtests.test(colour=colour):
            names, message = problems(production, {"branding.accent_colour": colour})

            assert names == ["branding.accent_colour (BRANDING_ACCENT_COLOUR)"]
            assert "#rrggbb" in message


@pytest.mark.parametrize("key", ["privacy_url", "imprint_url", "help_url"])
def test_links_lead_to_https(key):
    url = "https://example.com/legal?page=1#top"

    assert getattr(production({f"branding.{key}": url}).branding, key) == url
    assert getattr(local({f"branding.{key}": url}).branding, key) == url


def test_a_link_of_another_kind_is_refused(subtests):
    for url in (
        "http://example.com/",
        "/privacy",
        "//example.com/",
        "javascript:alert(1)",
        "mailto:help@example.com",
        "https://user@example.com/",
        "https://example.com/a b",
        'https://example.com/"',
        "https://exämple.com/",
        "https://",
    ):
        for key in ("privacy_url", "imprint_url", "help_url"):
            with subtests.test(url=url, key=key):
                names, message = problems(production, {f"branding.{key}": url})

                assert names == [f"branding.{key} (BRANDING_{key.upper()})"]
                assert "must be an https address" in message
