"""Confirming a person who is signed in: through the identity provider and back, without a click.

The session waits, and goes on as it is if the same person comes back, with its token and its time.
"""

from pyramid.response import Response

from authservice.identity_provider import SignInFailedError
from authservice.services.sessions.sessions import CentralSession
from authservice.web.answers import see_other
from authservice.web.gates import provenance
from authservice.web.request.auth_request import AuthRequest
from authservice.web.sign_in import (
    outage,
    provider_place,
    return_target,
    sign_in_attempt,
    sign_in_failures,
)
from authservice.web.sign_in.return_target import OAuthReturn, ReturnTarget
from authservice.web.sign_in.sign_in_page import SignInPrompt


def begun(request: AuthRequest, prompt: SignInPrompt) -> Response | None:
    """Return the way to the provider, where no more than a confirmation is missing.

    None where the person has to be there or wants another account, where no browser navigates here,
    and in local mode, whose page asks who signs in.
    """
    if prompt.reason is not None or return_target.chooses_account(request.GET):
        return None
    return begun_for(request, prompt.target)


def begun_for(request: AuthRequest, target: ReturnTarget) -> Response | None:
    """Return the way to the provider and back to a target, if a session waits; as ``begun``."""
    waiting = request.waiting_session
    if waiting is None or request.auth_settings.local_mode or not _goes_here(request, target):
        return None
    return start(request, target, waiting)


def start(request: AuthRequest, target: ReturnTarget, waiting: CentralSession) -> Response:
    """Return the way to the provider and back to a target, for a session that waits.

    If the provider does not answer, nobody is sent there, and the session may go on meanwhile.
    """
    attempt = sign_in_attempt.new(target, waiting.user.id, confirms=waiting.id)
    try:
        with provider_place.place(request), outage.noted(request):
            request.identity_provider.require_answer()
    except SignInFailedError as error:
        return sign_in_failures.failed(request, attempt, error)
    response = see_other(sign_in_attempt.begin(request, attempt))
    request.cookies_of_service.set_attempt(response, attempt.id)
    return response


def _goes_here(request: AuthRequest, target: ReturnTarget) -> bool:
    """Tell whether a tab goes here; a client on any site may have sent it to authorize."""
    if isinstance(target, OAuthReturn):
        return provenance.is_navigation(request)
    return provenance.is_own_navigation(request)
