"""What the provider says of one person now, put into effect: confirmed, removed, or left alone."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from enum import Enum, auto

from sqlalchemy import Connection

from authservice import clock
from authservice.database.database import Database
from authservice.identity_provider.github_app.app_memberships import AppMemberships
from authservice.identity_provider.github_app.known_pages import UnreadableError
from authservice.identity_provider.provider_calls import ProviderCalls
from authservice.services.admission import (
    account_lock,
    confirmation,
    decision_by_settings,
    pinned_groups,
    pins,
    state,
    stored_people,
)
from authservice.services.admission.decision import Decision, Person
from authservice.services.admission.stored_people import StoredPerson
from authservice.services.people.memberships import Memberships
from authservice.services.revocation import removal
from authservice.settings import AuthSettings
from authservice.settings.admission.rules import Rule, RuleKind


class Outcome(Enum):
    """What became of a person."""

    CONFIRMED = auto()
    REMOVED = auto()
    LEFT = auto()
    """The rules do not decide it: what they are about cannot be read, or no page answers."""


class Confirmations:
    """Asks about a person and acts on the answer; several threads may."""

    def __init__(
        self,
        settings: AuthSettings,
        database: Database,
        source: AppMemberships,
        tell_clients: Callable[[], None],
    ) -> None:
        """``tell_clients`` is called when sessions have ended of which clients are to be told."""
        self._settings = settings
        self._database = database
        self._source = source
        self._tell_clients = tell_clients
        self._fingerprint = state.fingerprint(settings)
        self._rules = {str(rule) for rule in settings.admission.rules}

    def ask(
        self,
        calls: ProviderCalls,
        account_id: str,
        about: Mapping[str, Collection[str]] | None = None,
    ) -> Outcome:
        """Ask the provider and act on its answer; raises SignInFailedError for an outage.

        ``about`` has the numbers of the organizations that spoke of the account, and of teams in
        each. The others are asked only where these do not let the person in.
        """
        began_at = clock.now()
        try:
            known = self.find(account_id)
            seen_in = next(iter(about or ()), None) if known is None else self._owner_of(known)
            username = self._source.username(calls, account_id, seen_in)
        except UnreadableError:
            return Outcome.LEFT
        if username is None:
            return self.remove(account_id)
        memberships = self._source.of_person(calls, account_id, username, about=about)
        decided = self._decide(account_id, username, memberships)
        if about is not None and decided.admitted_by is None:
            memberships = self._source.of_person(calls, account_id, username)
            decided = self._decide(account_id, username, memberships)
        known = self.find(account_id)
        if self.is_left_alone(known):
            return Outcome.LEFT
        if decided.admitted_by is not None:
            return self._confirm(known, account_id, began_at, decided.admitted_by, memberships)
        if decided.leaves_open(None if known is None else known.admitted_by):
            return Outcome.LEFT
        return self.remove(account_id)

    def _decide(self, account_id: str, username: str, memberships: Memberships) -> Decision:
        person = Person(account_id, username, None, memberships)
        with self._database.transaction() as connection:
            return decision_by_settings.decide(connection, self._settings, person)

    def _owner_of(self, known: StoredPerson) -> str | None:
        """Return the number of the organization that let a person in, itself or by a team."""
        for rule in self._settings.admission.rules:
            if str(rule) == known.admitted_by and rule.organization:
                owner = Rule(RuleKind.ORGANIZATION, rule.organization)
                pin = pins.of_rules(self._database.reader, [owner]).get(str(owner))
                return None if pin is None else pin.number
        return None

    def find(self, account_id: str) -> StoredPerson | None:
        """Return what is stored of a person; None for one who has not signed in here yet."""
        return stored_people.find(self._database.reader, self._settings.provider.id, account_id)

    def is_left_alone(self, known: StoredPerson | None) -> bool:
        """Tell whether a rule admits a person that only a sign-in can ask about: by address."""
        admitted_by = known.admitted_by if known is not None else None
        by_address = admitted_by is not None and admitted_by.startswith(f"{RuleKind.DOMAIN}:")
        return by_address and admitted_by in self._rules

    def remove(self, account_id: str) -> Outcome:
        """End what a person holds, also that of a sign-in which is under way."""
        provider_id = self._settings.provider.id
        with self._database.begin() as transaction:
            there = removal.remove(transaction, account_id, clock.now(), provider_id=provider_id)
        if there:
            self._tell_clients()
        return Outcome.REMOVED

    def follow(
        self,
        connection: Connection,
        people: Sequence[StoredPerson],
        groups_of: Callable[[str], Memberships],
    ) -> None:
        """Store the groups of people, as a sign-in would, where they changed."""
        told = pinned_groups.told(
            connection, self._settings, [groups_of(person.account_id) for person in people]
        )
        changed = []
        for person, read in zip(people, told, strict=True):
            groups = read.with_unread_of(person.memberships)
            if person.groups is None or dict(person.memberships or {}) != groups.numbers:
                changed.append((person, groups))
        stored_people.follow_groups(connection, self._settings.provider.id, changed)

    def _confirm(
        self,
        known: StoredPerson | None,
        account_id: str,
        began_at: datetime,
        admitted_by: str,
        memberships: Memberships,
    ) -> Outcome:
        if known is None:
            return Outcome.LEFT
        with self._database.transaction() as connection:
            account_lock.claim(connection, account_id)
            confirmed = confirmation.confirm(
                connection,
                user_id=known.user_id,
                account_id=account_id,
                began_at=began_at,
                admitted_by=admitted_by,
                fingerprint=self._fingerprint,
            )
            if confirmed:
                self.follow(connection, [known], lambda _: memberships)
        return Outcome.CONFIRMED if confirmed else Outcome.LEFT
