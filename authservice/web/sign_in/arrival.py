"""A person has come back from the identity provider: the session is made, or confirmed."""

from dataclasses import replace
from datetime import datetime

from pyramid.response import Response

from authservice import events
from authservice.events import AccountNotLinked, SignedIn
from authservice.identity_provider import SignInFailedError
from authservice.services.people import groups, provider_pin, users
from authservice.services.people.provider_pin import ProviderPin
from authservice.services.people.users import (
    AccountNotLinkedError,
    AddressesUnreadError,
    Profile,
    User,
)
from authservice.services.sessions import sessions
from authservice.services.sessions.sessions import CentralSession, NotAdmittedError
from authservice.web.answers import see_other
from authservice.web.request.auth_request import AuthRequest
from authservice.web.session.session_end import end_sessions
from authservice.web.sign_in import admitting, refused_sign_in, return_target
from authservice.web.sign_in.admitting import OvertakenError
from authservice.web.sign_in.sign_in_attempt import SignInAttempt


class _AnotherPersonError(Exception):
    """Another person came than the one whose session was to be confirmed."""


def arrived(
    request: AuthRequest, attempt: SignInAttempt, profile: Profile, began_at: datetime
) -> Response:
    """Make the session of the person whom the provider named; raises SignInFailedError.

    ``began_at`` is a moment before the first request to the provider.
    """
    _require_pinned(request)
    decided = admitting.decide(request, profile)
    if decided.admitted_by is None:
        return refused_sign_in.refused(request, attempt, profile, decided, began_at)
    try:
        # What was written of a person who may not enter after all is taken back.
        with request.db.begin_nested():
            user, created = _known(request, profile)
            groups.note_cut(user)
            admitting.confirm(request, user, profile, decided.admitted_by, began_at)
            if attempt.confirms is not None:
                return _confirmed(request, attempt, user)
            return _signed_in(request, attempt, user, began_at, new_user=created)
    except (OvertakenError, NotAdmittedError):
        message = "the account was removed, or the rules changed, during the sign-in"
        raise SignInFailedError("admission_changed", message) from None
    except _AnotherPersonError:
        auth_url = request.auth_settings.auth_url
        return see_other(
            return_target.sign_in_address(attempt.target, auth_url, choose_account=True)
        )


def _known(request: AuthRequest, profile: Profile) -> tuple[User, bool]:
    """Return the user of a profile, and whether this made them; raises SignInFailedError."""
    # Names before people, in every transaction that locks both.
    stored = admitting.with_pinned_names(request, profile)
    if (former := request.stored_session) is not None:
        users.claim_with(request.db, profile, former.session.user.id)
    try:
        stored = groups.with_named_groups(stored, request.auth_settings)
        return users.from_profile(request.db, stored)
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


def _confirmed(request: AuthRequest, attempt: SignInAttempt, user: User) -> Response:
    """Lead on with the session that was to be confirmed, which goes on as it is."""
    waiting = request.stored_session
    if waiting is None or waiting.session.id != attempt.confirms or not request.confirms(waiting):
        raise _AnotherPersonError
    if waiting.session.user.id != user.id:
        raise _AnotherPersonError
    return see_other(return_target.address(attempt.target, request.auth_settings.auth_url))


def _signed_in(
    request: AuthRequest,
    attempt: SignInAttempt,
    user: User,
    began_at: datetime,
    *,
    new_user: bool,
) -> Response:
    session, token = _new_session(request, user, began_at)
    provider = request.identity_provider.id
    request.transaction.note(
        SignedIn(sub=user.id, sid=session.id, provider=provider, new_user=new_user)
    )
    auth_url = request.auth_settings.auth_url
    response = see_other(return_target.address(attempt.target, auth_url, new_user=new_user))
    request.cookies_of_service.set_session(response, session, token)
    return response


def _new_session(
    request: AuthRequest, user: User, began_at: datetime
) -> tuple[CentralSession, str]:
    """Return the session of a sign-in and its token: in place of the one that the browser had.

    The session of the same person continues under a new token, since nothing ended for its clients.
    The token is always new: an attacker may know the one from before the sign-in.
    """
    lifetime = request.auth_settings.lifetimes.session
    ip_address = request.from_address
    # PostgreSQL takes no NUL in a text, and not every server refuses one in a header.
    user_agent = (request.user_agent or "").replace("\x00", "")[:500]
    former = request.stored_session
    if former is not None and former.session.user.id != user.id:
        end_sessions(request, [former.session.id])
    elif former is not None and request.confirms(former):
        renewed = sessions.renew(
            request.db,
            replace(former.session, user=user),
            former.token,
            lifetime,
            ip_address=ip_address,
            user_agent=user_agent,
            confirmed_after=began_at,
        )
        if renewed is not None:
            return renewed
    return sessions.create(
        request.db,
        user,
        lifetime,
        ip_address=ip_address,
        user_agent=user_agent,
        confirmed_after=began_at,
    )
