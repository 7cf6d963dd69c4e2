"""The operator's branding of the pages: a logo, a colour and links, each checked at the start."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

from authservice.settings.hosts import host_of, is_loopback, origin_of
from authservice.settings.parsing import accepting
from authservice.settings.problems import RefusedError

_MAX_LOGO = 16 * 1024
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
_SVG = "{http://www.w3.org/2000/svg}"
_SIGNATURES = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"RIFF.{4}WEBP", re.DOTALL), "image/webp"),
)


@dataclass(frozen=True, slots=True)
class Logo:
    """A picture, and its media type as its content shows it."""

    content: bytes = field(repr=False)
    media_type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Branding:
    """What pages show next to the name of the service; None for each that is not set."""

    logo: Logo | None
    accent_colour: str | None
    privacy_url: str | None
    imprint_url: str | None
    help_url: str | None


def logo(file_name: str) -> Logo:
    """Return the picture in a file; raises RefusedError for what pages cannot show safely."""
    try:
        with Path(file_name).open("rb") as file:
            content = file.read(_MAX_LOGO + 1)
    except OSError:
        message = f"must name a file that this process can read: {file_name}"
        raise RefusedError(message) from None
    if len(content) > _MAX_LOGO:
        message = f"must be a file of at most {_MAX_LOGO // 1024} KiB: {file_name}"
        raise RefusedError(message)
    media_type = _media_type(content)
    if media_type is None:
        message = (
            "must be a PNG, JPEG or WebP picture, or an SVG without script, document type and"
            f" addresses of other files: {file_name}"
        )
        raise RefusedError(message)
    return Logo(content, media_type)


def _media_type(content: bytes) -> str | None:
    for signature, media_type in _SIGNATURES:
        if signature.match(content):
            return media_type
    return "image/svg+xml" if _is_harmless_svg(content) else None


def _is_harmless_svg(content: bytes) -> bool:
    """Tell whether a file is an SVG that is complete by itself and does nothing."""
    # Entities are declared in the document type: without one, nothing can grow while it is read.
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        return False
    try:
        root = ET.fromstring(content)  # noqa: S314  (the operator's own file, see above)
    except (ET.ParseError, ValueError, LookupError):
        return False
    return root.tag == f"{_SVG}svg" and all(_is_harmless(element) for element in root.iter())


def _is_harmless(element: ET.Element) -> bool:
    if not element.tag.startswith(_SVG):
        # Editors leave notes of their own, which browsers pass over; XHTML they would show.
        return "xhtml" not in element.tag
    if element.tag.removeprefix(_SVG) in {"script", "foreignObject"}:
        return False
    return not any(
        name.lower().startswith("on")
        or (name.endswith("href") and not value.startswith(("#", "data:image/")))
        for name, value in element.attrib.items()
    )


def colour(text: str) -> str:
    """Return a colour as pages have it; raises RefusedError."""
    if not _COLOUR.fullmatch(text):
        message = "must be a colour as #rrggbb, such as #0f6b62"
        raise RefusedError(message)
    return text.lower()


def _is_link(text: str) -> bool:
    """Tell whether a text is an address without a user, over https or of this machine."""
    if not text.isascii() or not text.isprintable() or any(each in text for each in ' "<>\\'):
        return False
    origin = origin_of(text)
    return (
        origin is not None
        and "@" not in urlsplit(text).netloc
        and (origin.startswith("https://") or is_loopback(host_of(origin)))
    )


link = accepting(_is_link, "must be an https address such as https://example.com/privacy")
