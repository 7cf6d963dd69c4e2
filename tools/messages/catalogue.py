"""A catalogue whose header says only what reading it needs, so that it changes with its texts."""

from collections.abc import Iterable

from babel.messages.catalog import Catalog


class Catalogue(Catalog):
    """The messages of one language; without one, those that the code asks for."""

    def __init__(self, language: str | None = None) -> None:
        super().__init__(locale=language, fuzzy=False)
        self.header_comment = "# Written by ./run messages, but for the translations."

    def untranslated(self) -> list[str]:
        """Return the English texts of which a translation, or a form of its plural, is missing."""
        return [
            str(message.id)
            for message in self
            if message.id and not (message.string and all(message.string))
        ]

    @property
    def mime_headers(self) -> list[tuple[str, str]]:
        """Return the header; Babel's own has dates and its own version."""
        return [
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Language", str(self.locale_identifier)),
            ("Plural-Forms", self.plural_forms),
        ]

    @mime_headers.setter
    def mime_headers(self, _read: Iterable[tuple[str, str]]) -> None:
        """Leave what a file says: the language alone decides."""
