"""The page for somebody who may not enter: as whom they came, and each way on from there."""

from collections.abc import Sequence

from pyramid.i18n import TranslationString
from pyramid.response import Response

from authservice import logs
from authservice.web.pages.pages import WayBack, page
from authservice.web.request.auth_request import AuthRequest


def refusal_page(
    request: AuthRequest,
    texts: tuple[TranslationString, TranslationString, TranslationString],
    *,
    code: str,
    account: str,
    actions: Sequence[tuple[str, TranslationString]],
    way_back: WayBack | None = None,
    elsewhere: bool = False,
) -> Response:
    """Return the page, with status 403; ``texts`` are title, message and advice.

    ``account`` is as whom the person came. ``actions`` are addresses here and their labels, the one
    that helps most first. ``way_back`` leads to the client that waits, if one does. With
    ``elsewhere`` the page is shown on the host of an application.
    """
    title, message, advice = texts
    values = {
        "title": title,
        "message": message,
        "advice": advice,
        "account": account,
        "actions": actions,
        "way_back": way_back,
        "code": code,
        "reference": logs.current_reference(),
    }
    leaves = way_back is not None and way_back.is_form
    return page(request, "refused", values, status=403, form_leaves=leaves, elsewhere=elsewhere)
