"""The languages of the pages, as BCP 47 tags: each has a catalogue in ``locale``."""

from collections.abc import Iterable

# What the texts in the code are written in, and what is spoken when nothing else is asked for.
SOURCE = "en"
LANGUAGES = (SOURCE, "de", "fr", "es", "pl", "ja", "ar")
_RIGHT_TO_LEFT = {"ar"}


def direction(language: str) -> str:
    """Return where lines begin, as the dir attribute says it: ltr or rtl."""
    return "rtl" if language in _RIGHT_TO_LEFT else "ltr"


def first_spoken(ranges: Iterable[str]) -> str | None:
    """Return the language that fits the first of these ranges for which there is one.

    Subtags are taken off from the end until something fits (RFC 4647, section 3.4); anything that
    is no language range fits nothing.
    """
    for language_range in ranges:
        subtags = language_range.lower().split("-")
        while subtags:
            tag = "-".join(subtags)
            if tag in LANGUAGES:
                return tag
            subtags.pop()
    return None
