"""What the rules would say to an account, as far as anyone but its owner can know.

Without a sign-in the provider shows no address, and to others than a GitHub App no membership that
is not public.
What the last sign-in showed is a hint, and no more.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from authservice.identity_provider.public_api import PublicApi
from authservice.services.admission import decision, pins
from authservice.services.admission.decision import GROUP_KINDS, Person, Pin, Why
from authservice.services.admission.stored_people import StoredPerson
from authservice.services.people.memberships import NONE, Group, Memberships
from authservice.settings import AuthSettings
from authservice.settings.admission.rules import Rule, RuleKind

_ABOUT_THE_NAME = {Why.NAME_UNRESOLVED, Why.NAME_REASSIGNED}


class Says(StrEnum):
    """What a rule says to an account."""

    LETS_IN = "lets in"
    DOES_NOT = "does not"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class RuleDecision:
    """What one rule says, and why."""

    rule: str
    says: Says
    why: str

    def __str__(self) -> str:
        """Return it as a line for operators."""
        return f"{self.rule}: {self.says}: {self.why}"


def of_rules(
    settings: AuthSettings,
    stored: Mapping[str, Pin],
    account: Group,
    known: StoredPerson | None,
    provider: PublicApi,
    shown: Memberships | None = None,
) -> list[RuleDecision]:
    """Return what each rule says to an account, of which ``known`` is stored.

    ``shown`` are the groups that a GitHub App sees of it: where there is one, that is certain.
    """
    if settings.admission.everyone:
        return [RuleDecision(decision.EVERYONE, Says.LETS_IN, "every account may sign in")]
    rules = settings.admission.rules
    seen = shown
    if seen is None:
        seen = _public_memberships(settings.admission.organizations, account, provider)
    person = Person(account.number, account.name, None, seen)
    remembered = person
    if known is not None:
        before = Memberships.of_numbers(known.memberships or {})
        remembered = replace(person, memberships=before)
    return [
        _certain(settings, rule, stored, person)
        if shown is not None and rule.kind in GROUP_KINDS
        else _uncertain(
            settings, rule, stored, person, remembered, signed_in_before=known is not None
        )
        for rule in rules
    ]


def overall(given: Sequence[RuleDecision]) -> Says:
    """Return what all rules together say."""
    said = {decided.says for decided in given}
    return next((says for says in (Says.LETS_IN, Says.UNKNOWN) if says in said), Says.DOES_NOT)


def _certain(
    settings: AuthSettings, rule: Rule, stored: Mapping[str, Pin], person: Person
) -> RuleDecision:
    why = _against(settings, rule, stored, person)
    if why is None:
        return RuleDecision(str(rule), Says.LETS_IN, "a member")
    return RuleDecision(str(rule), Says.DOES_NOT, decision.SENTENCES[why])


def _uncertain(
    settings: AuthSettings,
    rule: Rule,
    stored: Mapping[str, Pin],
    person: Person,
    remembered: Person,
    *,
    signed_in_before: bool,
) -> RuleDecision:
    why = _against(settings, rule, stored, person)
    if why is None:
        fits = "a public member" if rule.kind in GROUP_KINDS else "it is this account"
        return RuleDecision(str(rule), Says.LETS_IN, fits)
    if rule.kind is RuleKind.DOMAIN and why is not Why.ADDRESSES_NOT_TRUSTED:
        return RuleDecision(str(rule), Says.UNKNOWN, "only a sign-in shows the address")
    if rule.kind in GROUP_KINDS and why not in _ABOUT_THE_NAME:
        was = "a member" if _against(settings, rule, stored, remembered) is None else "no member"
        before = f"; at the last sign-in: {was}" if signed_in_before else "; has never signed in"
        return RuleDecision(str(rule), Says.UNKNOWN, f"only a sign-in shows membership{before}")
    return RuleDecision(str(rule), Says.DOES_NOT, decision.SENTENCES[why])


def _against(
    settings: AuthSettings, rule: Rule, stored: Mapping[str, Pin], person: Person
) -> Why | None:
    """Return why a rule would not let a person in; None where it would."""
    pinned = pins.marked(stored, person)
    trust_emails = settings.provider.trust_emails
    decided = decision.decide([rule], pinned, person, trust_emails=trust_emails)
    return decided.reasons[0].why if decided.reasons else None


def _public_memberships(
    organizations: Sequence[str], account: Group, provider: PublicApi
) -> Memberships:
    return replace(NONE, organizations=tuple(_public(organizations, account, provider)))


def _public(organizations: Sequence[str], account: Group, provider: PublicApi) -> Iterator[Group]:
    for name in organizations:
        organization = provider.organization(name)
        if organization is not None and provider.is_public_member(organization.name, account.name):
            yield organization
