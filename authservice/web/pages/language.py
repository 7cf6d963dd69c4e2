"""The language of a page: what the client asks for, else what the browser does, else English."""

from importlib.resources import files
from typing import Any

from pyramid.i18n import make_localizer
from pyramid.interfaces import ILocalizer

from authservice.settings.languages import LANGUAGES, first_spoken
from authservice.web.pages import accepted
from authservice.web.request.auth_request import AuthRequest

# No client asks for more than a few languages, and tags rarely have more than 35 characters
# (RFC 5646, section 4.4.1): the rest is not read.
_MOST_LOCALES = 16
_LONGEST_LOCALE = 35


def negotiated(request: AuthRequest) -> str:
    """Return the language in which a page is shown (a Pyramid locale negotiator).

    A client's ``ui_locales`` (OIDC Core, 3.1.2.1) go before the Accept-Language header, which is
    looked up as RFC 4647, section 3.4, says; what cannot be read counts as not sent.
    """
    ui_locales = request.GET.get("ui_locales") or request.ui_locales or ""
    locales = ui_locales.split(maxsplit=_MOST_LOCALES)[:_MOST_LOCALES]
    spoken = first_spoken(locale for locale in locales if len(locale) <= _LONGEST_LOCALE)
    return accepted.language(request) if spoken is None else spoken


def includeme(config: Any) -> None:
    """Show pages in the languages of the catalogues, which are loaded at the start."""
    catalogues = [str(files("authservice").joinpath("locale"))]
    for language in LANGUAGES:
        localizer = make_localizer(language, catalogues)
        config.registry.registerUtility(localizer, ILocalizer, name=language)
    config.set_locale_negotiator(negotiated)
