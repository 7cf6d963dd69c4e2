"""The languages of the pages, as BCP 47 tags: each has a catalogue in ``locale``."""

from collections.abc import Iterable

# What the texts in the code are written in, and what is spoken when no other is preferred.
SOURCE = "en"
LANGUAGES = (SOURCE, "de", "fr", "es", "pl", "ja", "ar")
_RIGHT_TO_LEFT = {"ar"}


def direction(language: str) -> str:
    """Return where lines begin, as the dir attribute says it: ltr or rtl."""
    return "rtl" if language in _RIGHT_TO_LEFT else "ltr"


def first_spoken(ranges: Iterable[str]) -> str | None:
    """Return the language that fits the first of these ranges for which there is one.

    That is the longest that is left of a range when subtags are taken off from its end (RFC 4647,
    section 3.4). Text that is no language range fits nothing.
    """
    for language_range in ranges:
        fitting = [tag for tag in LANGUAGES if f"{language_range}-".lower().startswith(f"{tag}-")]
        if fitting:
            return max(fitting, key=len)
    return None
