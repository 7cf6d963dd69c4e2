"""Texts that people see: marked here, translated when a page is shown."""

from typing import Any

from pyramid.i18n import TranslationStringFactory

DOMAIN = "authservice"

# _("Hello ${name}") % {"name": name}: extracted by ./run messages, and in English until shown.
_: Any = TranslationStringFactory(DOMAIN)
