"""What a person is told when the identity provider did not confirm who they are, and what to do."""

import re
from dataclasses import dataclass

from pyramid.i18n import TranslationString
from pyramid.response import Response

from authservice.web import return_target
from authservice.web.pages import error_page
from authservice.web.request import AuthRequest
from authservice.web.return_target import ReturnTarget
from authservice.web.texts import _

_CODE = re.compile(r"[A-Za-z0-9_]{1,64}")


@dataclass(frozen=True, slots=True)
class _Text:
    """The words of one failure; ``${provider}`` stands for the provider's name."""

    title: TranslationString
    message: TranslationString
    advice: TranslationString
    status: int = 400
    another_account: bool = False
    """Whether the same account would fail again, so that the provider has to ask for one."""


_TEXTS = {
    "access_denied": _Text(
        _("You did not sign in"),
        _("${provider} was told not to confirm who you are, so nothing was shared."),
        _("Go back to the application, or try again."),
    ),
    "account_not_linked": _Text(
        _("This email address is in use already"),
        _("Somebody signed in here before with another ${provider} account and the same address."),
        _(
            "Sign in with that account. If it is not yours, tell the people who run this service"
            " the reference below."
        ),
        another_account=True,
    ),
    "account_suspended": _Text(
        _("Your ${provider} account is suspended"),
        _("It cannot be used to sign in as long as ${provider} suspends it."),
        _("Ask ${provider} what is wrong with it, or try again with another account."),
        another_account=True,
    ),
    "email_not_verified": _Text(
        _("Your email address is not confirmed"),
        _("${provider} does not know yet that the address of your account is yours."),
        _("Confirm it in the email settings of your ${provider} account, then try again."),
    ),
    "provider_unavailable": _Text(
        _("${provider} does not answer"),
        _(
            "It is out of order, overloaded or too slow at the moment, so nobody can sign in with"
            " it."
        ),
        _("Wait a moment, then try again."),
        status=503,
    ),
    "state_mismatch": _Text(
        _("This sign-in began in another browser"),
        _("It can only be finished in that browser, and with cookies switched on."),
        _("Start again in this browser."),
    ),
}
_OTHERWISE = _Text(
    _("Signing in did not work"),
    _("${provider} did not confirm who you are."),
    _("Try again. If it keeps failing, tell the people who run this service the code below."),
)


def printable(error: str) -> str:
    """Return an error code as it may be shown; the provider's own may be anything at all."""
    return error if _CODE.fullmatch(error) else "unknown"


def failure_page(request: AuthRequest, target: ReturnTarget, error: str) -> Response:
    """Return the page for an error code of a sign-in, with a way to try again."""
    text = _TEXTS.get(error, _OTHERWISE)
    provider = {"provider": _provider_name(request)}
    again = return_target.sign_in_address(
        target, request.auth_settings.auth_url, choose_account=text.another_account
    )
    label = _("Try again with another account") if text.another_account else _("Try again")
    return error_page(
        request,
        text.status,
        text.title % provider,
        text.message % provider,
        text.advice % provider,
        code=printable(error),
        action=(again, label),
    )


def _provider_name(request: AuthRequest) -> str:
    if request.auth_settings.local_mode:
        # What stands in for a provider there has no name of its own.
        name: str = request.localizer.translate(_("Local developer"))
        return name
    return request.identity_provider.name
