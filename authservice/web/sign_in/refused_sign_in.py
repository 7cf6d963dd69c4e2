"""What happens to somebody whom the rules do not admit: they are told why, and how to go on.

Nothing is stored of a stranger. Somebody who was admitted before, and definitely is no longer,
loses everything that they hold here.
"""

from collections.abc import Iterable
from datetime import datetime

from pyramid.response import Response

from authservice.events import SignInRefused
from authservice.identity_provider import reasons
from authservice.services.admission.decision import Decision, Reason, Why
from authservice.services.people import users
from authservice.services.people.users import Profile
from authservice.services.revocation import removal
from authservice.services.sessions import sessions
from authservice.web.answers import see_other
from authservice.web.pages.refusal_page import refusal_page
from authservice.web.pages.texts import _
from authservice.web.request.auth_request import AuthRequest
from authservice.web.session.session_end import tell_clients
from authservice.web.sign_in import return_target, sign_in_failures, way_back
from authservice.web.sign_in.sign_in_attempt import SignInAttempt

CODE = "not_admitted"
# What a person can do something about comes first, and then what an operator has to know.
_TELLING = (
    Why.NAME_REASSIGNED,
    Why.UNREADABLE,
    Why.NO_ADDRESS,
    Why.NAME_UNRESOLVED,
    Why.NOT_A_MEMBER,
    Why.ANOTHER_DOMAIN,
    Why.ADDRESSES_NOT_TRUSTED,
    Why.ANOTHER_ACCOUNT,
)
_TITLE = _("You may not sign in here")
_MESSAGE = _("${service} does not admit the ${provider} account with which you came.")
_ASK = _("Ask the people who run ${service}, or sign in with another account.")
_FIRST = {
    reasons.SAML: _(
        "An organization wants you to sign in there first, with its single sign-on. Do so at"
        " ${provider}, then try again."
    ),
    reasons.RESTRICTED: _(
        "An organization has not approved ${service} at ${provider}. Ask one of its owners to do"
        " so, then try again."
    ),
    Why.UNREADABLE: _(
        "An organization does not let us see whether you are a member. Try again later, or ask the"
        " people who run ${service}."
    ),
    Why.NO_ADDRESS: _(
        "People are admitted by their primary email address, and ${provider} does not know yet that"
        " yours is yours. Confirm it there, then try again."
    ),
}


def refused(
    request: AuthRequest,
    attempt: SignInAttempt,
    profile: Profile,
    decided: Decision,
    began_at: datetime,
) -> Response:
    """Return the answer for somebody who is not admitted, and take back what they hold."""
    reason = most_telling(decided.reasons)
    request.transaction.note(
        SignInRefused(
            provider=profile.provider_id, account_id=profile.account_id, reason=_code(reason)
        )
    )
    _take_back(request, profile, decided, began_at)
    response = _answer(request, attempt, profile, reason)
    former = request.stored_session
    if former is not None and sessions.find_by_id(request.db, former.session.id) is None:
        request.cookies_of_service.clear_session(response)
    return response


def most_telling(reasons: Iterable[Reason]) -> Reason | None:
    """Return the reason that says most of what to do; None where there is no rule at all."""
    return min(reasons, key=lambda reason: _TELLING.index(reason.why), default=None)


def _code(reason: Reason | None) -> str:
    if reason is None:
        return CODE
    return f"{reason.why}_{reason.detail}" if reason.detail else str(reason.why)


def _take_back(
    request: AuthRequest, profile: Profile, decided: Decision, began_at: datetime
) -> None:
    """End what a known person holds, unless it is open whether what admitted them still would.

    It is as long as that cannot be read, or its name belongs to a stranger.
    """
    admitted_by = users.admitted_by(request.db, profile)
    if admitted_by is not None and decided.leaves_open(admitted_by):
        return
    removal.remove(
        request.transaction, profile.account_id, began_at, provider_id=profile.provider_id
    )
    tell_clients(request)


def _answer(
    request: AuthRequest, attempt: SignInAttempt, profile: Profile, reason: Reason | None
) -> Response:
    settings = request.auth_settings
    elsewhere = return_target.error_address(attempt.target, settings.auth_url, CODE)
    if elsewhere is not None:
        return see_other(elsewhere)
    said = {"service": settings.service_name, "provider": sign_in_failures.provider_name(request)}
    advice = None if reason is None else _FIRST.get(reason.detail or "", _FIRST.get(reason.why))
    another = (
        return_target.sign_in_address(attempt.target, settings.auth_url, choose_account=True),
        _("Try again with another account"),
    )
    again = return_target.sign_in_address(attempt.target, settings.auth_url), _("Try again")
    return refusal_page(
        request,
        (_TITLE, _MESSAGE % said, (advice or _ASK) % said),
        code=CODE,
        account=profile.username or profile.name,
        actions=[another] if advice is None else [again, another],
        way_back=way_back.refused(
            request, attempt.target, "access_denied", "The user may not sign in."
        ),
    )
