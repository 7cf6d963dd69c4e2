"""The English texts that the pages show, as the code marks them."""

from pathlib import Path

from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir

from tools.messages.catalogue import Catalogue

ROOT = Path(__file__).resolve().parents[2]

_TEMPLATES = ("web/templates/**.jinja2", "local_mode/templates/**.jinja2")
_METHODS = [*((each, "jinja2.ext:babel_extract") for each in _TEMPLATES), ("**.py", "python")]
# A template that cannot be read would otherwise be left out without a word.
_OPTIONS = {each: {"silent": "false"} for each in _TEMPLATES}
_KEYWORDS = {**DEFAULT_KEYWORDS, "pluralize": (1, 2)}


def extracted() -> Catalogue:
    """Return every text that is marked, in the order of the files."""
    found = Catalogue()
    package = ROOT / "authservice"
    for _filename, _line, text, comments, _context in extract_from_dir(
        package,
        method_map=_METHODS,
        options_map=_OPTIONS,
        keywords=_KEYWORDS,
        comment_tags=("Translators:",),
        strip_comment_tags=True,
    ):
        found.add(text, auto_comments=comments)
    return found
