"""GET callback/{provider_id}: where the identity provider sends the browser back to us."""

import logging
from dataclasses import replace

from pyramid.response import Response
from pyramid.view import view_config

from authservice import events
from authservice.events import AccountNotLinked, SignedIn, SignInFailed
from authservice.identity_provider import SignInFailedError
from authservice.services import provider_pin, sessions, users
from authservice.services.provider_pin import ProviderPin
from authservice.services.sessions import CentralSession
from authservice.services.users import (
    AccountNotLinkedError,
    AddressesUnreadError,
    Profile,
    User,
)
from authservice.services.verifications import Verification
from authservice.web import rate_limits, return_target, sign_in_attempt, sign_in_failures
from authservice.web.json_answer import error_json
from authservice.web.pages import error_page, page
from authservice.web.redirects import see_other
from authservice.web.request import AuthRequest
from authservice.web.session_end import end_sessions
from authservice.web.sign_in_attempt import SignInAttempt
from authservice.web.texts import _

_log = logging.getLogger(__name__)


@view_config(route_name="callback", request_method="GET")
def callback(request: AuthRequest) -> Response:
    """Finish a sign-in attempt: make the session and lead on to where it was wanted."""
    if request.matchdict["provider_id"] != request.identity_provider.id:
        rate_limits.count_callback(request, None)
        return error_json(404, "Provider not found", "PROVIDER_NOT_FOUND")
    found = sign_in_attempt.find(request, request.GET.get("state", ""))
    if found is None or found[0].spent or found[0].expired:
        rate_limits.count_callback(request, None)
        return _repeated_or_unknown(request, found[1] if found else None)
    row, attempt = found
    begun_here = request.cookies_of_service.has_attempt(request.cookie_header, attempt.id)
    rate_limits.count_callback(request, attempt.id if begun_here else None)
    if not begun_here:
        # The attempt stays as it is, for the browser in which it was begun.
        elsewhere = SignInFailedError("state_mismatch", "the callback came to another browser")
        return _failed(request, attempt, elsewhere)
    try:
        # The provider is asked before the writing transaction begins: nothing waits for it.
        profile = _profile(request, row, attempt)
        if profile is None:
            return _repeated_or_unknown(request, attempt)
        response = _arrived(request, attempt, profile)
    except SignInFailedError as error:
        response = _failed(request, attempt, error)
    request.cookies_of_service.clear_attempt(response, attempt.id)
    return response


def _arrived(request: AuthRequest, attempt: SignInAttempt, profile: Profile) -> Response:
    """Make the session of the person whom the provider named; raises SignInFailedError."""
    _require_pinned(request)
    if (former := request.presented_session) is not None:
        users.claim_with(request.db, profile, former.session.user.id)
    try:
        user, created = users.from_profile(request.db, profile)
    except AccountNotLinkedError as error:
        events.log(
            AccountNotLinked(
                provider=profile.provider_id, account_id=profile.account_id, sub=error.holder_id
            )
        )
        raise SignInFailedError("account_not_linked", "the address is another user's") from None
    except AddressesUnreadError:
        message = "the addresses of a new account were not read"
        raise SignInFailedError("provider_unavailable", message) from None
    return _signed_in(request, attempt, user, new_user=created)


def _profile(request: AuthRequest, row: Verification, attempt: SignInAttempt) -> Profile | None:
    """Return who signed in at the provider; None when another request was first.

    Raises SignInFailedError, and TooManySignInsError, which alone leaves the attempt as it is.
    """
    answer = request.GET
    if "error" in answer or not answer.get("code"):
        if sign_in_attempt.spend(request, row):
            raise _without_code(answer.get("error"))
        return None
    sender = rate_limits.senders(request.from_address)[0][0]
    with request.components.sign_in_places.place(sender):
        if not sign_in_attempt.spend(request, row):
            return None
        return request.identity_provider.profile(answer["code"], attempt.code_verifier)


def _without_code(error: str | None) -> SignInFailedError:
    if error is None:
        return SignInFailedError("no_code", "the identity provider sent neither code nor error")
    return SignInFailedError(error, "the identity provider answered with an error")


def _require_pinned(request: AuthRequest) -> None:
    """Raise SignInFailedError if the accounts are another provider's.

    The start refuses that, unless the database was away then or was changed under a process.
    """
    settings = request.auth_settings
    if settings.local_mode:
        return
    wanted = ProviderPin.of(settings.provider.id, settings.provider.api_url)
    pinned = provider_pin.pin(request.db, wanted)
    if pinned != wanted:
        message = f"the accounts in the database are those of {pinned}, not of {wanted}"
        raise SignInFailedError("provider_unavailable", message)


def _signed_in(
    request: AuthRequest, attempt: SignInAttempt, user: User, *, new_user: bool
) -> Response:
    session, token = _new_session(request, user)
    provider = request.identity_provider.id
    events.note(
        request.db,
        SignedIn(sub=user.id, sid=session.id, provider=provider, new_user=new_user),
    )
    auth_url = request.auth_settings.auth_url
    response = see_other(return_target.address(attempt.target, auth_url, new_user=new_user))
    request.cookies_of_service.set_session(response, session, token)
    return response


def _new_session(request: AuthRequest, user: User) -> tuple[CentralSession, str]:
    """Return the session of a sign-in and its token: in place of the one that the browser had.

    The same person's goes on under a new token, since nothing ended for its clients. The token is
    always new: one that was there before the sign-in may be known to somebody else.
    """
    lifetime = request.auth_settings.lifetimes.session
    device = {
        "ip_address": request.from_address,
        # PostgreSQL takes no NUL in a text, and not every server refuses one in a header.
        "user_agent": (request.user_agent or "").replace("\x00", "")[:500],
    }
    former = request.presented_session
    if former is not None and former.session.user.id != user.id:
        end_sessions(request, [former.session.id])
    elif former is not None and request.confirms(former):
        current = replace(former.session, user=user)
        renewed = sessions.renew(request.db, current, former.token, lifetime, **device)
        if renewed is not None:
            return renewed
    return sessions.create(request.db, user, lifetime, **device)


def _repeated_or_unknown(request: AuthRequest, attempt: SignInAttempt | None) -> Response:
    """Say that the person is signed in when that is true; a repeated callback is no error."""
    session = request.confirmed_session
    if session is not None:
        return page(request, "signed_in", {"user": session.user})
    auth_url = request.auth_settings.auth_url
    again = return_target.sign_in_address(attempt.target, auth_url) if attempt else None
    return error_page(
        request,
        400,
        _("This sign-in has expired"),
        _("It was finished already, took longer than ten minutes, or began in another browser."),
        _("Go back to the application and sign in from there again."),
        code="state_mismatch",
        action=(again, _("Sign in again")) if again else None,
    )


def _failed(request: AuthRequest, attempt: SignInAttempt, error: SignInFailedError) -> Response:
    # The code may be whatever stands in the address, which anybody can write.
    code = sign_in_failures.printable(error.code)
    _log.warning("sign-in failed: %s (%s)", code, error)
    events.log(SignInFailed(provider=request.identity_provider.id, error=code))
    auth_url = request.auth_settings.auth_url
    elsewhere = return_target.error_address(attempt.target, auth_url, error.code)
    if elsewhere is not None:
        return see_other(elsewhere)
    return sign_in_failures.failure_page(request, attempt.target, error.code)
