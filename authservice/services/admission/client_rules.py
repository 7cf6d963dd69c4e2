"""Whom a client is for: what its own list decides about a person who may sign in.

What counts is what the last sign-in stored of the person, not what the provider says now. A name
counts by its number, as in the rules of the settings. Entries may fit nobody, where the settings
leave out what they go by.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, select

from authservice.database.prepared import Prepared
from authservice.models import account, oauth_client, user
from authservice.services.admission import pins
from authservice.services.admission.decision import Person, decide
from authservice.services.people import groups
from authservice.services.people.memberships import Memberships
from authservice.settings import AuthSettings
from authservice.settings.admission import rules
from authservice.settings.admission.rules import Rule, RuleKind

Allow = Sequence[str] | None
"""The list of a client, as it is registered; None lets everyone in."""

_PERSON = Prepared(
    select(
        account.c.account_id,
        user.c.username,
        account.c.primary_email,
        account.c.memberships,
    )
    .join(user, user.c.id == account.c.user_id)
    .where(account.c.user_id == bindparam("of_user"))
    .order_by(account.c.created_at)
)


def allows(connection: Connection, settings: AuthSettings, allow: Allow, user_id: str) -> bool:
    """Tell whether a client with this list is for a person."""
    if allow is None:
        return True
    person = _stored(connection, settings, user_id)
    if person is None:
        return False
    listed = [rules.parse(entry) for entry in allow]
    pinned = pins.in_force(connection, settings, listed, person)
    decided = decide(listed, pinned, person, trust_emails=settings.provider.trust_emails)
    return decided.admitted_by is not None


def names(connection: Connection) -> list[Rule]:
    """Return what the lists of all clients name."""
    lists = connection.scalars(
        select(oauth_client.c.allow).where(oauth_client.c.allow.is_not(None))
    )
    listed = [rules.parse(entry) for allow in lists for entry in allow]
    return [rule for rule in listed if rule.names]


def _stored(connection: Connection, settings: AuthSettings, user_id: str) -> Person | None:
    """Return what the last sign-in said of a person; groups only of organizations still read."""
    row = _PERSON.first(connection, {"of_user": user_id})
    if row is None:
        return None
    account_id, username, primary_email, numbers = row
    memberships = Memberships.of_numbers(numbers or {})
    if not groups.all_count(settings):
        memberships = memberships.of(settings.organizations)
    return Person(account_id, username, primary_email, memberships)


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
