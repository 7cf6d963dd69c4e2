"""What the rules decide about a person, from the facts alone.

A name in a rule counts by the number that was pinned for it, whatever it is called today.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

import idna

from authservice.services.people.memberships import NONE, Group, Memberships
from authservice.services.people.users import Profile
from authservice.settings.admission.rules import Rule, RuleKind, folded

EVERYONE = "everyone"
"""Stored in place of a rule where the settings let everyone in."""
GROUP_KINDS = (RuleKind.ORGANIZATION, RuleKind.TEAM)
"""Kinds of rules whose people can leave: what they decide has to be confirmed."""


@dataclass(frozen=True, slots=True)
class Pin:
    """The number of a name in a rule, and the other one that the name was found to have later."""

    number: str
    other_number: str | None = None


@dataclass(frozen=True, slots=True)
class Person:
    """What rules go by. ``primary_email`` is a verified address, or None."""

    account_id: str
    username: str | None = None
    primary_email: str | None = None
    memberships: Memberships | None = None

    @classmethod
    def of_profile(cls, profile: Profile) -> Self:
        """Return what a sign-in tells of the person."""
        return cls(profile.account_id, profile.username, profile.primary_email, profile.memberships)

    @property
    def shown(self) -> dict[str, str]:
        """Return the numbers that names have for this person today, by the text of their rule.

        That is the person's own login, and each organization and team they are a member of.
        """
        memberships = self.memberships or NONE
        names = [(RuleKind.USER, Group(self.username, self.account_id))] if self.username else []
        names += [(RuleKind.ORGANIZATION, each) for each in memberships.organizations]
        names += [(RuleKind.TEAM, each) for each in memberships.teams]
        return {f"{kind}:{folded(each.name)}": each.number for kind, each in names}

    def groups(self, rule: Rule) -> Sequence[Group]:
        """Return the person's organizations or teams, of the kind that a rule is about."""
        memberships = self.memberships or NONE
        if rule.kind is RuleKind.ORGANIZATION:
            return memberships.organizations
        return memberships.teams if rule.kind is RuleKind.TEAM else ()


class Why(StrEnum):
    """Why a rule did not fit a person."""

    ANOTHER_ACCOUNT = "another_account"
    NOT_A_MEMBER = "not_a_member"
    UNREADABLE = "unreadable"
    NAME_UNRESOLVED = "name_unresolved"
    NAME_REASSIGNED = "name_reassigned"
    ADDRESSES_NOT_TRUSTED = "addresses_not_trusted"
    NO_ADDRESS = "no_address"
    ANOTHER_DOMAIN = "another_domain"


LEAVES_OPEN = {Why.UNREADABLE, Why.NAME_UNRESOLVED, Why.NAME_REASSIGNED}
"""With these it is not known whether the rule fits: it could not be checked, or whom it names."""
SENTENCES = {
    Why.ANOTHER_ACCOUNT: "it is another account",
    Why.NOT_A_MEMBER: "not an active member",
    Why.UNREADABLE: "the organization does not let us see its members",
    Why.NAME_UNRESOLVED: "the name has no number yet; see authservice admission pin",
    Why.NAME_REASSIGNED: "the name belongs to another number now; see authservice admission pin",
    Why.ADDRESSES_NOT_TRUSTED: "addresses of this provider do not count: provider.trust_emails",
    Why.NO_ADDRESS: "no verified primary address",
    Why.ANOTHER_DOMAIN: "the primary address has another domain",
}


@dataclass(frozen=True, slots=True)
class Reason:
    """Why one rule did not fit; ``detail`` is what the provider said, where it refused."""

    rule: Rule
    why: Why
    detail: str | None = None

    def __str__(self) -> str:
        """Return it as a sentence for operators."""
        detail = "" if self.detail is None else f" ({self.detail})"
        return f"{self.rule}: {SENTENCES[self.why]}{detail}"


@dataclass(frozen=True, slots=True)
class Decision:
    """The rule that lets a person in, as it is stored, or None; and why each other one did not."""

    admitted_by: str | None
    reasons: tuple[Reason, ...] = ()

    def leaves_open(self, admitted_by: str | None) -> bool:
        """Tell whether it is not known if the person may stay, whom this rule admitted before.

        Without such a rule it may be any.
        """
        still_open = {str(reason.rule) for reason in self.reasons if reason.why in LEAVES_OPEN}
        return bool(still_open) if admitted_by is None else admitted_by in still_open


def decide(
    rules: Sequence[Rule], pins: Mapping[str, Pin], person: Person, *, trust_emails: bool
) -> Decision:
    """Return what rules decide: of several that fit, one that needs no confirmation later.

    ``pins`` has the numbers of names by the text of their rule; a name without one fits nobody.
    """
    fitting, reasons = [], []
    for rule in rules:
        reason = _against(rule, pins.get(str(rule)), person, trust_emails=trust_emails)
        if reason is None:
            fitting.append(rule)
        else:
            reasons.append(reason)
    preferred = min(fitting, key=lambda rule: (rule.kind in GROUP_KINDS, rule), default=None)
    return Decision(None if preferred is None else str(preferred), tuple(reasons))


def requires_recheck(admitted_by: str) -> bool:
    """Tell whether the person may leave what let them in, so that it has to be confirmed."""
    return admitted_by.startswith(tuple(f"{kind}:" for kind in GROUP_KINDS))


def domain_of(address: str) -> str | None:
    """Return the domain of an address as rules have it; None where it has no such form."""
    domain = folded(address.rpartition("@")[2])
    if domain.isascii():
        return domain or None
    try:
        return idna.encode(domain).decode()
    except idna.IDNAError:
        return None


def _against(rule: Rule, pin: Pin | None, person: Person, *, trust_emails: bool) -> Reason | None:
    """Return why a rule does not fit, or None where it does."""
    if rule.kind is RuleKind.ID:
        return None if rule.value == person.account_id else Reason(rule, Why.ANOTHER_ACCOUNT)
    if rule.kind is RuleKind.DOMAIN:
        return _against_domain(rule, person, trust_emails=trust_emails)
    if pin is None or pin.other_number is not None:
        return Reason(rule, Why.NAME_UNRESOLVED if pin is None else Why.NAME_REASSIGNED)
    if rule.kind is RuleKind.USER:
        own = pin.number == person.account_id
        return None if own else Reason(rule, Why.ANOTHER_ACCOUNT)
    if any(group.number == pin.number for group in person.groups(rule)):
        return None
    details = list(_unreadable(rule, person))
    return Reason(rule, Why.UNREADABLE, details[0]) if details else Reason(rule, Why.NOT_A_MEMBER)


def _against_domain(rule: Rule, person: Person, *, trust_emails: bool) -> Reason | None:
    if not trust_emails:
        return Reason(rule, Why.ADDRESSES_NOT_TRUSTED)
    if person.primary_email is None:
        return Reason(rule, Why.NO_ADDRESS)
    fits = domain_of(person.primary_email) == rule.value
    return None if fits else Reason(rule, Why.ANOTHER_DOMAIN)


def _unreadable(rule: Rule, person: Person) -> Iterator[str]:
    for name, detail in (person.memberships or NONE).unreadable:
        # A team may be unreadable alone.
        if folded(name) in {rule.organization, rule.value}:
            yield detail
