"""Whom a client is for: what its own list decides about a person who may sign in.

What counts is what the last sign-in stored of the person, not what the provider says now. A name
counts by its number, as in the rules of the settings. The first one whose name it is pins it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum, auto

from sqlalchemy import Connection, bindparam, select

from authservice import clock
from authservice.database.prepared import Prepared
from authservice.models import account, oauth_client, user
from authservice.services.admission import pins
from authservice.services.admission.decision import Person, Pin, decide
from authservice.services.admission.facts import Memberships
from authservice.services.people import groups
from authservice.services.sessions.sessions import CentralSession
from authservice.settings import AuthSettings
from authservice.settings.admission import rules
from authservice.settings.admission.rules import Rule

Allow = Sequence[str] | None
"""The list of a client, as it is registered; None lets everyone in."""

# A sign-in so short a time ago still says whose a name is. An older one may show a former name.
_RECENT = timedelta(minutes=10)

_PERSON = Prepared(
    select(
        account.c.account_id,
        account.c.memberships,
        user.c.username,
        user.c.email,
        user.c.email_verified,
    )
    .join(user, user.c.id == account.c.user_id)
    .where(account.c.user_id == bindparam("of_user"))
    .order_by(account.c.created_at)
)
_ALLOW = Prepared(
    select(oauth_client.c.allow).where(oauth_client.c.client_id == bindparam("of_client"))
)


class Whom(Enum):
    """Whether a client is for a person."""

    THEM = auto()
    """It has no list, or an entry fits."""
    OTHERS = auto()
    """It has a list, and no entry fits."""
    UNCERTAIN = auto()
    """An entry has a name that was theirs at the last sign-in, and has not been pinned to them."""


def whom(connection: Connection, settings: AuthSettings, allow: Allow, user_id: str) -> Whom:
    """Tell whether a client with this list is for a person. Nothing is written."""
    return Whom.THEM if allow is None else _case(connection, settings, allow, user_id).whom


def admits(connection: Connection, settings: AuthSettings, allow: Allow, user_id: str) -> bool:
    """Tell whether a client with this list may have tokens for a person."""
    return whom(connection, settings, allow, user_id) is Whom.THEM


def knows_names(session: CentralSession) -> bool:
    """Tell whether the sign-in was so recently that it still says whose a name is."""
    return clock.now() - session.auth_time <= _RECENT


def pin_and_tell(
    connection: Connection, settings: AuthSettings, allow: Sequence[str], user_id: str
) -> Whom:
    """Pin the names of the list that the person has just shown, and tell whom the client is for."""
    case = _case(connection, settings, allow, user_id)
    if case.person is not None:
        pins.resolve(connection, case.unpinned, case.person)
    decided = _case(connection, settings, allow, user_id).whom
    return Whom.OTHERS if decided is Whom.UNCERTAIN else decided


def list_of(connection: Connection, client_id: str) -> Allow:
    """Return the list that a client has at this moment."""
    row = _ALLOW.first(connection, {"of_client": client_id})
    return None if row is None else row[0]


@dataclass(frozen=True, slots=True)
class _Case:
    """A list and a person, and what is pinned of its names."""

    rules: Sequence[Rule]
    pins: dict[str, Pin]
    person: Person | None
    trust_emails: bool

    @property
    def whom(self) -> Whom:
        if self.person is None:
            return Whom.OTHERS
        decided = decide(self.rules, self.pins, self.person, trust_emails=self.trust_emails)
        if decided.admitted_by is not None:
            return Whom.THEM
        return Whom.UNCERTAIN if self.unpinned else Whom.OTHERS

    @property
    def unpinned(self) -> Sequence[Rule]:
        """Return the rules with a name of the person's that is not pinned to the same number."""
        return [rule for rule in self.rules if rule.names and self._shows_another(rule)]

    def _shows_another(self, rule: Rule) -> bool:
        number = self.person and self.person.number_of(rule)
        pin = self.pins.get(str(rule))
        return bool(number) and (pin is None or number not in {pin.number, pin.other_number})


def _case(
    connection: Connection, settings: AuthSettings, allow: Sequence[str], user_id: str
) -> _Case:
    listed = [rules.parse(entry) for entry in allow]
    return _Case(
        listed,
        pins.of_rules(connection, listed),
        _stored(connection, settings, user_id),
        settings.provider.trust_emails,
    )


def _stored(connection: Connection, settings: AuthSettings, user_id: str) -> Person | None:
    """Return what the last sign-in said of a person; groups only of organizations still read."""
    row = _PERSON.first(connection, {"of_user": user_id})
    if row is None:
        return None
    account_id, numbers, username, email, email_verified = row
    memberships = Memberships.of_numbers(numbers or {})
    if not groups.all_count(settings):
        memberships = memberships.of(settings.organizations)
    address = email if email_verified else None
    return Person(account_id, username, address, memberships)
