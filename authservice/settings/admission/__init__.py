"""The settings of admission: who may sign in, and whose groups applications learn of."""

from dataclasses import dataclass
from datetime import timedelta

from authservice.settings.admission import rules as grammar
from authservice.settings.admission.rules import Rule, RuleError, RuleKind


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmissionSettings:
    """Who may sign in, and how long what an organization decided counts."""

    rules: tuple[Rule, ...]
    """In any order: one that fits is enough. Empty where everyone may."""
    everyone: bool
    recheck: timedelta
    outage_grace: timedelta

    @property
    def organizations(self) -> tuple[str, ...]:
        """Return the names of the organizations that the rules are about."""
        return tuple(dict.fromkeys(rule.organization for rule in self.rules if rule.organization))


def membership(entry: str) -> Rule:
    """Return the rule about an organization or a team; raises RuleError."""
    if ":" in entry:
        return _among(entry, RuleKind.ORGANIZATION, RuleKind.TEAM)
    kind = RuleKind.TEAM if "/" in entry else RuleKind.ORGANIZATION
    return grammar.of_kind(kind, entry, entry)


def account(entry: str) -> Rule:
    """Return the rule about one account; raises RuleError."""
    return _among(entry, RuleKind.USER, RuleKind.ID)


def email_domain(entry: str) -> Rule:
    """Return the rule about a domain; raises RuleError."""
    if ":" in entry:
        return _among(entry, RuleKind.DOMAIN)
    return grammar.of_kind(RuleKind.DOMAIN, entry, entry)


def organization(entry: str) -> str:
    """Return the name of an organization; raises RuleError."""
    return grammar.of_kind(RuleKind.ORGANIZATION, entry.removeprefix("org:"), entry).value


def _among(entry: str, *kinds: RuleKind) -> Rule:
    rule = grammar.parse(entry)
    if rule.kind not in kinds:
        expected = " or ".join(f"{kind}:" for kind in kinds)
        message = f"{entry!r} must begin with {expected}"
        raise RuleError(message)
    return rule
