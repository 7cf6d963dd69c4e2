"""The poll: every ten minutes one process reads who is in the organizations of the rules.

Those whom the rules still admit are confirmed as of the moment before the first question. Those who
are on no list any more are looked up one by one, as at a sign-in, before they are removed: a list
that changes while its pages are read may leave someone out.
"""

import logging
import threading
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta

from sqlalchemy import Connection

from authservice import clock
from authservice.database.database import Database
from authservice.identity_provider import OutageError, SignInFailedError
from authservice.identity_provider.github_app.app_memberships import AppMemberships
from authservice.identity_provider.github_app.confirmations import Confirmations
from authservice.identity_provider.github_app.installations import Installation
from authservice.identity_provider.github_app.known_pages import UnreadableError
from authservice.identity_provider.provider_calls import ProviderCalls
from authservice.services.admission import (
    decision,
    pinned_groups,
    pins,
    poll_turns,
    state,
    stored_people,
)
from authservice.services.admission.decision import Person, Pin
from authservice.services.admission.pinned_groups import under_pinned_names
from authservice.services.admission.poll_turns import PollTurn
from authservice.services.admission.stored_people import StoredPerson
from authservice.services.people.memberships import Group, Memberships
from authservice.settings import AuthSettings
from authservice.settings.admission.rules import Rule, RuleKind

_log = logging.getLogger(__name__)

Before = Callable[[], None]


class Directory:
    """The groups of every member, by the number of the account."""

    def __init__(self) -> None:
        self.unreadable: list[tuple[str, str]] = []
        self._organizations: dict[Group, set[str]] = {}
        self._teams: dict[Group, set[str]] = {}
        self._of: dict[str, tuple[list[Group], list[Group]]] = defaultdict(lambda: ([], []))

    def add_organization(self, organization: Group, members: set[str]) -> None:
        """Note who is in an organization."""
        if organization not in self._organizations:
            self._organizations[organization] = members
            for number in members:
                self._of[number][0].append(organization)

    def add_team(self, organization: Group, team: Group, members: set[str]) -> None:
        """Note who is in a team, and in its organization too."""
        if team not in self._teams:
            self._teams[team] = members
            for number in members & self._organizations[organization]:
                self._of[number][1].append(team)

    def of(self, account_id: str) -> Memberships:
        """Return the groups of an account."""
        organizations, teams = self._of.get(account_id, ((), ()))
        return Memberships(tuple(organizations), tuple(teams), tuple(self.unreadable))

    @property
    def all_groups(self) -> Memberships:
        """Return every group that has been read, as if one person were in all."""
        return Memberships(tuple(self._organizations), tuple(self._teams))


def read_directory(source: AppMemberships, calls: ProviderCalls, before: Before) -> Directory:
    """Return what the lists say; raises SignInFailedError for an outage.

    ``before`` is called before each question. What one organization does not let the App see
    concerns no other.
    """
    directory = Directory()
    before()
    for name, place in source.places(calls):
        if isinstance(place, str):
            directory.unreadable.append((name, place))
            continue
        try:
            _read_one(source, calls, before, directory, name, place)
        except UnreadableError as error:
            directory.unreadable.append((name, source.noted(error)))
    return directory


def _read_one(
    source: AppMemberships,
    calls: ProviderCalls,
    before: Before,
    directory: Directory,
    name: str,
    place: Installation,
) -> None:
    api = source.api(calls, place)
    organization = place.organization
    lists = source.organizations
    directory.add_organization(organization, lists.members(api, place, before))
    teams = lists.teams(api, place, before)
    directory.unreadable += source.missing_teams(name, teams)
    for team in teams:
        try:
            members = lists.team_members(api, team.group, before)
        except UnreadableError as error:
            # It may have been deleted since the list was read.
            directory.unreadable.append((team.group.name, source.noted(error)))
            continue
        directory.add_team(organization, team.group, members)


# However many organizations there are.
_READING_SECONDS = 1800.0
_QUESTION_SECONDS = 20.0
# So many are looked up one by one, each time: more at once are rather a mistake at the provider
# than people who left.
_MOST_QUESTIONS = 500
_AGAIN_AFTER_OUTAGE = timedelta(minutes=1)
# Less than an outage counts for, so that it is noted in time.
_LONGEST_PAUSE = timedelta(minutes=5)


class LostTurnError(Exception):
    """Another process has its turn, or this one is to end."""


class Poll:
    """Reads the lists when it is time, from a thread of its own."""

    def __init__(
        self,
        settings: AuthSettings,
        database: Database,
        source: AppMemberships,
        confirmations: Confirmations,
    ) -> None:
        self._settings = settings
        self._database = database
        self._source = source
        self._confirmations = confirmations
        self._fingerprint = state.fingerprint(settings)
        self._unreadable: frozenset[tuple[str, str]] = frozenset()

    def look(self, ended: threading.Event) -> bool:
        """Read the lists if it is time and no other process does; tell whether they were read."""
        turn = poll_turns.take(self._database)
        return turn is not None and self._have(turn, ended)

    def _have(self, turn: PollTurn, ended: threading.Event) -> bool:
        again_in = None
        try:
            self._read(turn, ended)
        except SignInFailedError as error:
            again_in = _AGAIN_AFTER_OUTAGE
            if error.retry_after is not None:
                again_in = min(timedelta(seconds=error.retry_after), _LONGEST_PAUSE)
            self._note(error)
        except LostTurnError:
            # A process that ends leaves the lists to another one.
            again_in = timedelta(0)
        finally:
            turn.end(again_in)
        return again_in is None

    def _note(self, error: SignInFailedError) -> None:
        """Say it. An outage is stored, so that nobody is signed out for it."""
        _log.info("the members of organizations could not be read: %s", error)
        if isinstance(error, OutageError):
            with self._database.transaction() as connection:
                state.note_outage(connection)

    def _read(self, turn: PollTurn, ended: threading.Event) -> None:
        def go_on() -> None:
            if ended.is_set() or not turn.go_on():
                raise LostTurnError

        began_at = clock.now()
        calls = self._source.installations.calls(_READING_SECONDS, may_use_all=False)
        read = read_directory(self._source, calls, go_on)
        self._warn(read)
        with self._database.transaction() as connection:
            state.outage_ended(connection)
        with self._database.transaction() as connection:
            pinned = _pinned(connection, self._settings, read.all_groups)
        missing: list[str] = []
        for people in stored_people.everyone(self._database.reader, self._settings.provider.id):
            go_on()
            missing += self._confirm(people, read, pinned, began_at)
        self._ask_about(missing, go_on)

    def _confirm(
        self,
        people: Sequence[StoredPerson],
        read: Directory,
        pinned: Mapping[str, Pin],
        began_at: datetime,
    ) -> list[str]:
        """Confirm those whom the rules admit, and return the accounts that may have to go."""
        admission = self._settings.admission
        admitted: dict[str, str] = {}
        missing = []
        for each in people if not admission.everyone else ():
            if self._confirmations.is_left_alone(each):
                continue
            person = Person(each.account_id, each.username, None, read.of(each.account_id))
            decided = decision.decide(admission.rules, pinned, person, trust_emails=False)
            if decided.admitted_by is not None:
                admitted[each.user_id] = decided.admitted_by
            elif each.admitted_at is not None and not decided.leaves_open(each.admitted_by):
                missing.append(each.account_id)
        with self._database.transaction() as connection:
            if admitted:
                stored_people.confirm(
                    connection, admitted, began_at=began_at, fingerprint=self._fingerprint
                )
            self._confirmations.follow(connection, people, read.of)
        return missing

    def _ask_about(self, accounts: Sequence[str], go_on: Before) -> None:
        if len(accounts) > _MOST_QUESTIONS:
            _log.warning(
                "%d people are on no list of the provider any more; %d of them are asked about now",
                len(accounts),
                _MOST_QUESTIONS,
            )
        for account_id in accounts[:_MOST_QUESTIONS]:
            go_on()
            calls = self._source.installations.calls(_QUESTION_SECONDS, may_use_all=False)
            self._confirmations.ask(calls, account_id)

    def _warn(self, read: Directory) -> None:
        """Say what cannot be read, once: nobody is confirmed by it, and nobody thrown out."""
        unreadable = frozenset(read.unreadable)
        for name, reason in sorted(unreadable - self._unreadable):
            _log.warning(
                "the members of %s cannot be read (%s): whom it admitted stays until a"
                " confirmation is due",
                name,
                reason,
            )
        self._unreadable = unreadable


def _pinned(
    connection: Connection, settings: AuthSettings, everything: Memberships
) -> dict[str, Pin]:
    """Return the numbers of the names in rules, after those that the lists have are pinned."""
    named = pins.named_rules(settings)
    # A team by its name counts in the pinned organization only.
    _learn(connection, named, RuleKind.ORGANIZATION, everything)
    listed = under_pinned_names(everything, pins.of_rules(connection, named))
    _learn(connection, named, RuleKind.TEAM, listed)
    pinned_groups.see(connection, settings, Person("", memberships=everything))
    return pins.of_rules(connection, named)


def _learn(
    connection: Connection, named: Sequence[Rule], kind: RuleKind, listed: Memberships
) -> None:
    shown = Person("", memberships=listed).shown
    of_kind = [rule for rule in named if rule.kind is kind and str(rule) in shown]
    pins.learn(connection, {rule: shown[str(rule)] for rule in of_kind})
