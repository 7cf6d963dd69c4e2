"""Why applications get no email address of a person, and what that person can do."""

from pyramid.i18n import TranslationString

from authservice.services.people import users
from authservice.services.people.users import User
from authservice.web.pages.texts import _
from authservice.web.request.auth_request import AuthRequest

_HIDDEN = _(
    "${provider} does not show us your email addresses, since you did not allow it. To share one,"
    " sign in again and allow it."
)
_UNCONFIRMED = _(
    "No email address of your ${provider} account is confirmed, or somebody else signs in here with"
    " it. To share one, confirm it in the email settings there, then sign in again."
)


def missing_address(request: AuthRequest, user: User) -> TranslationString | None:
    """Return what a page says to a person without a verified address; None if the cause is unknown.

    The last sign-in at the provider stores the cause.
    """
    if user.email_verified:
        return None
    shown = users.shows_addresses(request.db_readonly, user.id)
    if shown is None:
        return None
    return (_UNCONFIRMED if shown else _HIDDEN) % {"provider": request.identity_provider.name}
