"""The User-Agent header in words: which browser on which system, as far as it says so."""

import re
from dataclasses import dataclass

# The first that fits counts: most browsers also claim to be those that stand below them.
_BROWSERS = (
    ("Edge", r"\bEdg(?:e|A|iOS)?/"),
    ("Opera", r"\b(?:OPR|OPT|Opera)/"),
    ("Samsung Internet", r"\bSamsungBrowser/"),
    ("Vivaldi", r"\bVivaldi/"),
    ("Yandex", r"\bYaBrowser/"),
    ("DuckDuckGo", r"\b(?:DuckDuckGo|Ddg)/"),
    ("Firefox", r"\b(?:Firefox|FxiOS)/"),
    ("Chrome", r"\b(?:Chrome|Chromium|CriOS|HeadlessChrome)/"),
    ("Safari", r"\bVersion/[\d.]+ (?:Mobile/\w+ )?Safari/"),
)
_SYSTEMS = (
    ("iPad", r"\biPad\b"),
    ("iPhone", r"\biPhone\b"),
    ("Android", r"\bAndroid\b"),
    ("Windows", r"\bWindows\b"),
    ("ChromeOS", r"\bCrOS\b"),
    ("macOS", r"\bMac OS X\b"),
    ("Linux", r"\bLinux\b"),
    ("FreeBSD", r"\bFreeBSD\b"),
)


@dataclass(frozen=True, slots=True)
class UserAgent:
    """A browser and a system by their own names; None where the header does not tell."""

    browser: str | None
    system: str | None

    @classmethod
    def of_header(cls, header: str | None) -> "UserAgent":
        """Return what a User-Agent header says (RFC 9110, section 10.1.5)."""
        return cls(_first(_BROWSERS, header or ""), _first(_SYSTEMS, header or ""))


def _first(known: tuple[tuple[str, str], ...], header: str) -> str | None:
    return next((name for name, pattern in known if re.search(pattern, header)), None)
