"""The language of a page: what the client asks for, else what the browser does, else English."""

from typing import Any

from authservice.languages import LANGUAGES, SOURCE, first_spoken
from authservice.web.request import AuthRequest


def negotiated(request: AuthRequest) -> str:
    """Return the language in which a page is shown (a Pyramid locale negotiator).

    A client's ``ui_locales`` (OIDC Core, 3.1.2.1) go before the Accept-Language header, which is
    looked up as RFC 4647, section 3.4, says; what cannot be read counts as not sent.
    """
    asked = request.GET.get("ui_locales") or request.ui_locales or ""
    spoken = first_spoken(asked.split())
    if spoken is not None:
        return spoken
    accepted: str = request.accept_language.lookup(LANGUAGES, default_tag=SOURCE, default=SOURCE)
    return accepted


def includeme(config: Any) -> None:
    """Show pages in the languages of the catalogues."""
    config.add_translation_dirs("authservice:locale")
    config.set_locale_negotiator(negotiated)
