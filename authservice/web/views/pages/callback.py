"""GET callback/{provider_id}: where the identity provider sends the browser back to us."""

from dataclasses import replace

from pyramid.response import Response
from pyramid.view import view_config

from authservice import clock
from authservice.identity_provider import SignInFailedError
from authservice.services.people.users import Profile
from authservice.services.tokens.verifications import Verification
from authservice.web.answers import error_json, see_other
from authservice.web.gates.rate_limits import by_sender
from authservice.web.pages.pages import error_page, page
from authservice.web.pages.texts import _
from authservice.web.request.auth_request import AuthRequest
from authservice.web.sign_in import (
    outage,
    provider_place,
    return_target,
    sign_in_attempt,
    sign_in_failures,
    way_back,
)
from authservice.web.sign_in.arrival import arrived
from authservice.web.sign_in.sign_in_attempt import SignInAttempt


@view_config(route_name="callback", request_method="GET")
def callback(request: AuthRequest) -> Response:
    """Finish a sign-in attempt: make the session and lead on to where it was wanted."""
    if request.matchdict["provider_id"] != request.identity_provider.id:
        by_sender.count_callback(request, None)
        return error_json(404, "Provider not found", "PROVIDER_NOT_FOUND")
    row, attempt = sign_in_attempt.find(request, request.GET.get("state", "")) or (None, None)
    begun_here = attempt is not None and _still_waits(request, attempt)
    by_sender.count_callback(request, attempt.id if attempt and begun_here else None)
    if row is None or attempt is None or row.spent or row.expired:
        return _repeated_or_unknown(request, row, attempt)
    if not begun_here:
        # The attempt does not change: the browser in which it began may still finish it.
        elsewhere = SignInFailedError("state_mismatch", "the callback came to another browser")
        return sign_in_failures.failed(request, attempt, elsewhere)
    began_at = clock.now()
    try:
        # The provider is called before the writing transaction begins, so no writer waits for it.
        profile = _profile(request, row, attempt)
        if profile is None:
            return _repeated_or_unknown(request, row, attempt)
        sign_in_attempt.claim(request, row)
        response = arrived(request, attempt, profile, began_at)
    except SignInFailedError as error:
        response = sign_in_failures.failed(request, attempt, error)
    request.cookies_of_service.clear_attempt(response, attempt.id)
    sign_in_attempt.keep_answer(request, row, attempt, response)
    return response


def _profile(request: AuthRequest, row: Verification, attempt: SignInAttempt) -> Profile | None:
    """Return who signed in at the provider; None when another request was first.

    Raises SignInFailedError, and TooManySignInsError, which alone leaves the attempt as it is.
    """
    answer = request.GET
    if "error" in answer or not answer.get("code"):
        if sign_in_attempt.spend(request, row):
            raise _without_code(answer.get("error"))
        return None
    with provider_place.place(request):
        if not sign_in_attempt.spend(request, row):
            return None
        with outage.noted(request):
            return request.identity_provider.profile(answer["code"], attempt.code_verifier)


def _without_code(error: str | None) -> SignInFailedError:
    if error is None:
        return SignInFailedError("no_code", "the identity provider sent neither code nor error")
    return SignInFailedError(error, "the identity provider answered with an error")


def _repeated_or_unknown(
    request: AuthRequest, row: Verification | None, attempt: SignInAttempt | None
) -> Response:
    """Answer a callback that finishes no sign-in; a repeated one after a sign-in is no error.

    After a double click the second callback is the one whose answer the browser follows: it leads
    on as the first one does, in the browser in which the sign-in began. Raises
    TooManySignInsError, which leaves everything as it is.
    """
    if attempt is not None and _still_waits(request, attempt):
        answer = sign_in_attempt.kept_answer(request, attempt)
        if answer is not None:
            return answer
    auth_url = request.auth_settings.auth_url
    session = request.confirmed_session
    if session is not None:
        if row and attempt and attempt.began_in(request.known_browser):
            # The first one stored a new person after it had spent the attempt.
            new_user = row.updated_at is not None and session.user.created_at >= row.updated_at
            return see_other(return_target.address(attempt.target, auth_url, new_user=new_user))
        return page(request, "signed_in", {"user": session.user})
    if row and attempt and not attempt.again and _may_begin_again(request, row, attempt):
        return _begun_again(request, attempt)
    again = way_back.again(request, attempt.target) if attempt else None
    application = way_back.application_of(request, attempt.target) if attempt else None
    return error_page(
        request,
        400,
        _("This sign-in has expired"),
        _("It was finished already, took longer than ten minutes, or began in another browser."),
        None if application else _("Go back to the application and sign in from there again."),
        code="state_mismatch",
        action=(again, _("Sign in again")) if again else None,
        application=application,
    )


def _still_waits(request: AuthRequest, attempt: SignInAttempt) -> bool:
    """Tell whether the browser has no answer yet: that to its first callback clears this cookie."""
    return request.cookies_of_service.has_attempt(request.cookie_header, attempt.id)


def _may_begin_again(request: AuthRequest, row: Verification, attempt: SignInAttempt) -> bool:
    """Tell whether the browser came back late, or has been given no answer.

    A program that sends a callback again does not say that it navigates: it is told the reason.
    """
    if row.expired:
        return attempt.began_in(request.known_browser)
    navigates = request.environ.get("HTTP_SEC_FETCH_MODE") == "navigate"
    return row.spent and navigates and _still_waits(request, attempt)


def _begun_again(request: AuthRequest, attempt: SignInAttempt) -> Response:
    """Begin again, once, in place of an attempt that cannot go on."""
    fresh = replace(sign_in_attempt.renewed(request, attempt), again=True)
    response = see_other(sign_in_attempt.begin(request, fresh))
    request.cookies_of_service.clear_attempt(response, attempt.id)
    request.cookies_of_service.set_attempt(response, fresh.id)
    return response
