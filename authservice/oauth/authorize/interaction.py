"""What an authorization request still needs from the person: a pure decision.

Every page leads back to the authorization endpoint, which decides again; no page issues a code.
``Visit`` says when the request first arrived: a sign-in or a consent given since then is an answer
to this request, so ``prompt`` and ``max_age`` are satisfied by it and none of them can loop.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from authservice import clock
from authservice.oauth.authorize.authorization_request import AuthorizationRequest
from authservice.services.clients import redirect_uris
from authservice.services.people.consents import Consent as GrantedConsent
from authservice.services.sessions.sessions import CentralSession


@dataclass(frozen=True, slots=True)
class Visit:
    """When a request first arrived, and what the person has decided since.

    That is the session to continue with, and the scopes that the client does not get.
    """

    started_at: datetime
    chosen_session_id: str | None = None
    declined: tuple[str, ...] = ()


Reason = Literal["login", "max_age", "select_account"]


@dataclass(frozen=True, slots=True)
class SignIn:
    """The person has to sign in, or to choose an account; ``reason`` says why again."""

    reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class WrongPerson:
    """The client is for others than the person who is signed in."""

    session: CentralSession


@dataclass(frozen=True, slots=True)
class Consent:
    """The person has to say whether the client may have what it wants."""


@dataclass(frozen=True, slots=True)
class Issue:
    """Nothing is missing: the code can be issued for this session."""

    session: CentralSession


@dataclass(frozen=True, slots=True)
class Refuse:
    """The request cannot be granted (OIDC Core, 3.1.2.6)."""

    error: str
    description: str


Interaction = SignIn | WrongPerson | Consent | Issue | Refuse

NOT_FOR_USER = Refuse("access_denied", "This client is not for the user who is signed in.")
"""What a client is told that is for others."""
_CONSENT_REQUIRED = Refuse("consent_required", "The user has not yet allowed what is asked for.")


def next_interaction(
    authorization_request: AuthorizationRequest,
    session: CentralSession | None,
    consent: GrantedConsent | None,
    visit: Visit,
    *,
    is_for_user: bool,
    local_mode: bool,
) -> Interaction:
    """Return what comes next for a request, given who is signed in and what they allowed.

    ``is_for_user`` tells whether the client is for that person.
    """
    silent = "none" in authorization_request.prompt
    if session is None:
        return _login_required("nobody is signed in") if silent else SignIn()
    if authorization_request.hinted_user_id not in {None, session.user.id}:
        return _login_required("id_token_hint names another user than the one signed in")
    reason = _sign_in_reason(authorization_request, session, visit)
    if reason is not None:
        return _login_required("the sign-in is older than max_age") if silent else SignIn(reason)
    if not is_for_user:
        return NOT_FOR_USER if silent else WrongPerson(session)
    if _needs_consent(authorization_request, consent, visit, local_mode=local_mode):
        return _CONSENT_REQUIRED if silent else Consent()
    return Issue(session)


def _login_required(cause: str) -> Refuse:
    return Refuse("login_required", f"The user has to sign in: {cause}.")


def _sign_in_reason(
    authorization_request: AuthorizationRequest, session: CentralSession, visit: Visit
) -> Reason | None:
    if session.auth_time >= visit.started_at:
        return None
    if "login" in authorization_request.prompt:
        return "login"
    if (
        authorization_request.max_age is not None
        and clock.now() - session.auth_time > authorization_request.max_age
    ):
        return "max_age"
    if "select_account" in authorization_request.prompt and visit.chosen_session_id != session.id:
        return "select_account"
    return None


def _needs_consent(
    authorization_request: AuthorizationRequest,
    consent: GrantedConsent | None,
    visit: Visit,
    *,
    local_mode: bool,
) -> bool:
    covered = consent is not None and consent.covers(
        authorization_request.consent_scopes, authorization_request.resources
    )
    if covered and consent is not None and consent.updated_at >= visit.started_at:
        return False
    if "consent" in authorization_request.prompt:
        return True
    if not local_mode and _can_be_impersonated(authorization_request):
        return True
    return not covered and not authorization_request.client.skip_consent


def _can_be_impersonated(authorization_request: AuthorizationRequest) -> bool:
    """Tell whether any program on the device could pass for the client (RFC 8252, 8.6)."""
    return bool(authorization_request.client.public) and redirect_uris.is_native(
        authorization_request.redirect_uri
    )
