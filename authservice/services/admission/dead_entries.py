"""Entries of a client's list that fit nobody, since the settings leave out what they go by."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from authservice.settings.admission import rules
from authservice.settings.admission.rules import Rule, RuleKind


@dataclass(frozen=True, slots=True)
class WhatIsRead:
    """What the settings let rules go by; ``organizations`` are None where all count."""

    organizations: Sequence[str] | None
    trust_emails: bool

    def unread(self, allow: Iterable[str]) -> list[Rule]:
        """Return the entries about organizations whose members nobody reads."""
        known = self.organizations
        if known is None:
            return []
        named = [rule for rule in map(rules.parse, allow) if rule.organization is not None]
        return [rule for rule in named if rule.organization not in known]

    def distrusted(self, allow: Iterable[str]) -> list[Rule]:
        """Return the entries about domains if addresses do not count."""
        domains = [rule for rule in map(rules.parse, allow) if rule.kind is RuleKind.DOMAIN]
        return [] if self.trust_emails else domains
