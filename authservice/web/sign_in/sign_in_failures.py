"""What a page says when the identity provider did not confirm who a person is, and what to do."""

import logging
import re
from dataclasses import dataclass
from math import ceil

from pyramid.i18n import TranslationString
from pyramid.response import Response

from authservice import events
from authservice.events import SignInFailed
from authservice.identity_provider import SignInFailedError
from authservice.web.answers import see_other
from authservice.web.pages.pages import error_page, without_cookies
from authservice.web.pages.texts import DOMAIN, _
from authservice.web.request.auth_request import AuthRequest
from authservice.web.sign_in import outage, return_target, way_back
from authservice.web.sign_in.return_target import ReturnTarget
from authservice.web.sign_in.sign_in_attempt import SignInAttempt

_log = logging.getLogger(__name__)

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
    told: str = "access_denied"
    """What a client is told to which the person goes back (RFC 6749, section 4.1.2.1)."""


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
    "admission_changed": _Text(
        _("Please sign in again"),
        _("While you signed in, something changed about who may."),
        _("Try again."),
    ),
    "email_not_verified": _Text(
        _("Your email address is not confirmed"),
        _("${provider} does not know yet that the address of your account is yours."),
        _("Confirm it in the email settings of your ${provider} account, then try again."),
    ),
    "not_admitted": _Text(
        _("You may not sign in here"),
        _("We know who you are, and this account is not admitted to this service."),
        _("Ask the people who run this service, or sign in with another account."),
        status=403,
        another_account=True,
    ),
    "provider_unavailable": _Text(
        _("${provider} does not answer"),
        _(
            "It is out of order, overloaded or too slow at the moment, so nobody can sign in with"
            " it."
        ),
        _("Wait a moment, then try again."),
        status=503,
        told="temporarily_unavailable",
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


def failed(request: AuthRequest, attempt: SignInAttempt, error: SignInFailedError) -> Response:
    """Return the answer to a sign-in that failed, here or at the application that wants to know.

    A session that only was to be confirmed goes on if the provider does not answer.
    """
    # The code may come from the address, which any stranger can write.
    code = printable(error.code)
    _log.warning("sign-in failed: %s (%s)", code, error)
    events.log(SignInFailed(provider=request.identity_provider.id, error=code))
    auth_url = request.auth_settings.auth_url
    if outage.bridges(request, attempt, error):
        return see_other(return_target.address(attempt.target, auth_url))
    elsewhere = return_target.error_address(attempt.target, auth_url, error.code)
    if elsewhere is not None:
        return see_other(elsewhere)
    return _page(request, attempt.target, error)


def _page(request: AuthRequest, target: ReturnTarget, error: SignInFailedError) -> Response:
    """Return the page for a sign-in that failed, with a way to try again."""
    text = _TEXTS.get(error.code, _OTHERWISE)
    provider = {"provider": provider_name(request)}
    again = way_back.again(request, target, choose_account=text.another_account)
    label = _("Try again with another account") if text.another_account else _("Try again")
    advice = text.advice % provider
    if error.retry_after is not None:
        minutes = ceil(error.retry_after / 60)
        advice = request.localizer.pluralize(
            "Wait ${minutes} minute, then try again.",
            "Wait ${minutes} minutes, then try again.",
            minutes,
            domain=DOMAIN,
            mapping={"minutes": minutes},
        )
    title, message = text.title % provider, text.message % provider
    if error.code == "state_mismatch" and not request.cookie_header:
        title, message, advice = without_cookies(request)
    response = error_page(
        request,
        text.status,
        title,
        message,
        advice,
        code=printable(error.code),
        action=(again, label) if again else None,
        application=way_back.application_of(request, target),
        way_back=way_back.refused(request, target, text.told, "The user did not sign in."),
    )
    if error.retry_after is not None:
        response.headers["Retry-After"] = str(ceil(error.retry_after))
    return response


def provider_name(request: AuthRequest) -> str:
    """Return what the page calls the identity provider."""
    if request.auth_settings.local_mode:
        # What stands in for a provider there has no name of its own.
        name: str = request.localizer.translate(_("Local developer"))
        return name
    return request.identity_provider.name
