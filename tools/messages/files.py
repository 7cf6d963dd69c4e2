"""The catalogues as files: texts to translate (.po), and compiled for the service (.mo)."""

from io import BytesIO
from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import PoFileParser, write_po

from authservice.settings.languages import LANGUAGES, SOURCE
from tools.messages.catalogue import Catalogue
from tools.messages.extraction import ROOT

TRANSLATED = tuple(language for language in LANGUAGES if language != SOURCE)


def path(language: str) -> Path:
    """Return the file with a language's translations; the compiled one lies beside it."""
    return ROOT / "authservice" / "locale" / language / "LC_MESSAGES" / "authservice.po"


def stored(language: str) -> Catalogue:
    """Return a language's translations as they are; none of a language that is new."""
    catalogue = Catalogue(language)
    if path(language).exists():
        with path(language).open(encoding="utf-8") as file:
            PoFileParser(catalogue, ignore_obsolete=True, abort_invalid=True).parse(file)
    return catalogue


def updated(language: str, extracted: Catalogue) -> Catalogue:
    """Return the texts of the code with a language's translations; what is new has none."""
    before = stored(language)
    after = Catalogue(language)
    for message in extracted:
        if not message.id:
            continue
        known = before.get(message.id)
        after.add(
            message.id,
            known.string if known is not None else None,
            auto_comments=message.auto_comments,
        )
    return after


def as_text(catalogue: Catalogue) -> bytes:
    """Return a catalogue as a .po file."""
    file = BytesIO()
    # Without the places: they would change whenever code moves.
    write_po(file, catalogue, width=98, no_location=True)
    return file.getvalue()


def compiled(catalogue: Catalogue) -> bytes:
    """Return a catalogue as a .mo file."""
    file = BytesIO()
    write_mo(file, catalogue)
    return file.getvalue()
