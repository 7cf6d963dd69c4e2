"""Whether the person who comes back from the identity provider may enter, under the rules in force.

Each step belongs to the transaction that makes the session: names are marked, the rules decide, and
the confirmation counts only if it began after every removal of the account.
"""

import logging
from dataclasses import replace
from datetime import datetime

from authservice.identity_provider import LOCAL_DEVELOPER, SignInFailedError
from authservice.services.admission import (
    account_lock,
    confirmation,
    decision_by_settings,
    pinned_groups,
    pins,
    state,
)
from authservice.services.admission.decision import EVERYONE, Decision, Person
from authservice.services.people.users import Profile, User
from authservice.settings.admission.rules import RuleKind
from authservice.web.request.auth_request import AuthRequest

_log = logging.getLogger(__name__)
_MOST_LOGGED = 10


class OvertakenError(Exception):
    """The account was removed, or the rules changed, while the provider answered."""


def decide(request: AuthRequest, profile: Profile) -> Decision:
    """Return what the rules decide about a profile, whose account is locked from now on.

    The transaction has locked no person yet. Raises SignInFailedError where the provider did not
    say what the only rules that could fit go by.
    """
    request.components.rules_in_force.ensure(request.db)
    state.outage_ended(request.db)
    account_lock.claim(request.db, profile.account_id)
    profile = _with_names_of_the_unread(request, profile)
    settings = request.auth_settings
    if settings.local_mode and profile.account_id == LOCAL_DEVELOPER:
        return Decision(EVERYONE)
    decided = decision_by_settings.decide(request.db, settings, Person.of_profile(profile))
    if decided.admitted_by is not None:
        return decided
    by_domain = any(rule.kind is RuleKind.DOMAIN for rule in settings.admission.rules)
    if by_domain and settings.provider.trust_emails and profile.addresses_unread:
        message = "the addresses, which a rule goes by, were not read"
        raise SignInFailedError("provider_unavailable", message)
    reasons = "; ".join(map(str, decided.reasons[:_MOST_LOGGED]))
    _log.info("account %s is not admitted: %s", profile.account_id, reasons)
    return decided


def _with_names_of_the_unread(request: AuthRequest, profile: Profile) -> Profile:
    """Return a profile in which organizations that were held back by number have their names."""
    memberships = profile.memberships
    if memberships is None or not memberships.unreadable:
        return profile
    pinned = pins.of_settings(request.db, request.auth_settings)
    named = pinned_groups.with_names_of_the_unread(memberships, pinned)
    return replace(profile, memberships=named)


def with_pinned_names(request: AuthRequest, profile: Profile) -> Profile:
    """Return a profile with groups under the names of the settings."""
    settings = request.auth_settings
    if profile.memberships is None or settings.local_mode:
        return profile
    (memberships,) = pinned_groups.told(request.db, settings, [profile.memberships])
    return replace(profile, memberships=memberships)


def confirm(
    request: AuthRequest, user: User, profile: Profile, admitted_by: str, began_at: datetime
) -> None:
    """Store what admits a person since ``began_at``; raises OvertakenError if that is no more."""
    confirmed = confirmation.confirm(
        request.db,
        user_id=user.id,
        account_id=profile.account_id,
        began_at=began_at,
        admitted_by=admitted_by,
        fingerprint=request.components.rules_in_force.fingerprint,
    )
    if not confirmed:
        raise OvertakenError
