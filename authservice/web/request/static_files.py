"""The files that pages name: style sheet, logo, script. Each address holds the file's version.

They are read once, at the start, with what the operator puts in their place.
"""

import gzip
import hashlib
from dataclasses import dataclass, field
from importlib.resources import files

from authservice.settings.branding import Branding
from authservice.web.request import accent
from authservice.web.routes import STATIC_PATH

_LOGO = "logo"
_ICON = "favicon.svg"
_ICON_COLOUR = "#0f6b62"
_MEDIA_TYPES = {
    "authservice.css": "text/css",
    _ICON: "image/svg+xml",
    "form_post.js": "text/javascript",
    "local-developer.svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class StaticFile:
    """One file, as it is and compressed, with a version that follows from its content."""

    content: bytes = field(repr=False)
    media_type: str
    version: str
    compressed: bytes = field(repr=False)

    @classmethod
    def of(cls, content: bytes, media_type: str) -> "StaticFile":
        """Return the file of a content."""
        version = hashlib.sha256(content).hexdigest()[:16]
        # mtime=0: the same content is the same file in every process.
        return cls(content, media_type, version, gzip.compress(content, mtime=0))


class StaticFiles:
    """The files of one configuration, by name."""

    def __init__(self, branding: Branding) -> None:
        contents = {name: _packaged(name) for name in _MEDIA_TYPES}
        if branding.accent_colour is not None:
            contents["authservice.css"] += accent.style(branding.accent_colour).encode()
            colour = accent.shade(branding.accent_colour, "#ffffff", 4.5)
            contents[_ICON] = contents[_ICON].replace(_ICON_COLOUR.encode(), colour.encode())
        self._files = {
            name: StaticFile.of(content, _MEDIA_TYPES[name]) for name, content in contents.items()
        }
        logo = branding.logo
        self._files[_LOGO] = (
            self._files[_ICON] if logo is None else StaticFile.of(logo.content, logo.media_type)
        )

    def find(self, name: str) -> StaticFile | None:
        """Return the file of a name."""
        return self._files.get(name)

    def address(self, name: str) -> str:
        """Return the address of a file in this version; raises KeyError where there is none."""
        return f"{STATIC_PATH}{name}?v={self._files[name].version}"

    @property
    def logo_type(self) -> str:
        """Return the media type of the logo, which is the icon of pages too."""
        return self._files[_LOGO].media_type


def _packaged(name: str) -> bytes:
    return files("authservice.web").joinpath("static", name).read_bytes()
