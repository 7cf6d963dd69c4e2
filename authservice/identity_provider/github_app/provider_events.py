"""Events of the provider, what each is about, and acting upon them within seconds.

An event is a hint: what the provider answers about the person counts. Only while it cannot be
reached does the event itself count, the first time it comes: a removal then removes. What is to be
done is stored before the provider hears that the event was taken, so that no process loses it.

Only the body of an event is signed, and not its name. So an event says what its own members say,
whatever it is called, and one that lacks some of them says nothing.
"""

import logging
import threading
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from authservice.database.database import Database
from authservice.identity_provider import SignInFailedError, github_groups
from authservice.identity_provider.github_app.confirmations import Confirmations
from authservice.identity_provider.github_app.installations import Installations
from authservice.identity_provider.github_profile import account_number
from authservice.services.admission import pins, poll_turns, stored_events
from authservice.services.admission.stored_events import ClaimedEvents
from authservice.services.admission.stored_people import StoredPerson
from authservice.settings import AuthSettings
from authservice.settings.admission.rules import Rule, RuleKind

_log = logging.getLogger(__name__)

Content = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """What to do upon an event."""

    organization: str | None = None
    """The number of that which it comes from; None where it comes from a person."""
    account_id: str | None = None
    """The person to ask the provider about."""
    leaves: bool = False
    """The person is said to have left the organization, or the team."""
    team: str | None = None
    """The number of the team that the person came to or left."""
    is_child: bool = False
    """Whether that team has a parent, whose member the person was too."""
    revoked: bool = False
    """The person has withdrawn what the App was allowed in their name: it can read nothing more."""
    lists: bool = False
    """Organizations, teams or installations changed: the lists have to be read again."""

    @property
    def departs(self) -> bool:
        """Tell whether the person may have to go."""
        return self.leaves or self.revoked

    def of_a_repeat(self) -> "Hint":
        """Return what to do if it has been done: ask again, since a replay itself says nothing."""
        return replace(self, leaves=False, revoked=False)


def hint_of(name: str, content: Content) -> Hint | None:
    """Return what an event is about; None where that is nothing for us."""
    read = _EVENTS.get(name)
    return None if read is None else read(content)


def hint_of_stored(stored: Content) -> Hint | None:
    """Return what was stored of a hint; None for what a later version has stored."""
    return Hint(**stored) if stored.keys() <= Hint.__dataclass_fields__.keys() else None


def _organization(content: Content) -> Hint | None:
    match content.get("action"):
        case "member_removed" | "member_added" as action:
            membership = content.get("membership")
            person = membership.get("user") if isinstance(membership, dict) else None
            return _of_person(person, content, leaves=action == "member_removed")
        case "renamed" | "deleted":
            return _of_lists(_organization_of(content))
    return None


def _membership(content: Content) -> Hint | None:
    team = content.get("team")
    if content.get("action") not in {"added", "removed"} or not isinstance(team, dict):
        return None
    number = account_number(team.get("id"))
    if number is None:
        return None
    return _of_person(
        content.get("member"),
        content,
        leaves=content["action"] == "removed",
        team=number,
        is_child=isinstance(team.get("parent"), dict),
    )


def _team(content: Content) -> Hint | None:
    changes = content.get("action") in {"created", "deleted", "edited"}
    is_there = isinstance(content.get("team"), dict)
    return _of_lists(_organization_of(content)) if changes and is_there else None


def _org_block(content: Content) -> Hint | None:
    blocked = content.get("action") == "blocked"
    if not blocked and content.get("action") != "unblocked":
        return None
    return _of_person(content.get("blocked_user"), content, leaves=blocked)


def _authorization(content: Content) -> Hint | None:
    # No other event is as short: one of those must not be taken for this one.
    if content.get("action") != "revoked" or content.keys() & {"installation", "organization"}:
        return None
    account_id = _number(content.get("sender"))
    return None if account_id is None else Hint(account_id=account_id, revoked=True)


def _installation(content: Content) -> Hint | None:
    installed = content.get("installation")
    if not isinstance(installed, dict):
        return None
    return _of_lists(_number_of_organization(installed.get("account")))


def _of_lists(organization: str | None) -> Hint | None:
    return None if organization is None else Hint(organization=organization, lists=True)


def _of_person(
    person: object,
    content: Content,
    *,
    leaves: bool,
    team: str | None = None,
    is_child: bool = False,
) -> Hint | None:
    account_id, organization = _number(person), _organization_of(content)
    if account_id is None or organization is None:
        return None
    return Hint(
        organization=organization,
        account_id=account_id,
        leaves=leaves,
        team=team,
        is_child=is_child,
    )


def _organization_of(content: Content) -> str | None:
    return _number_of_organization(content.get("organization"))


def _number_of_organization(entry: object) -> str | None:
    group = github_groups.organization(entry)
    return None if group is None else group.number


def _number(person: object) -> str | None:
    return account_number(person.get("id")) if isinstance(person, dict) else None


_EVENTS: dict[str, Callable[[Content], Hint | None]] = {
    "organization": _organization,
    "membership": _membership,
    "team": _team,
    "org_block": _org_block,
    "github_app_authorization": _authorization,
    "installation": _installation,
}


_AT_ONCE = 8
# What is said of a person must be known five seconds after the event.
_SECONDS = 4.0
# Questions that the events of one person may take in an hour: 2 % of those that the provider takes
# at least. As many again if they left. What comes then is left to the lists, and that somebody left
# counts itself.
_MOST, _MOST_OF_DEPARTURES = 100, 200


class ProviderEvents:
    """Takes events, and acts upon each as soon as it can."""

    def __init__(
        self,
        settings: AuthSettings,
        database: Database,
        installations: Installations,
        confirmations: Confirmations,
        read_lists: Callable[[], None],
        *,
        patience: float = _SECONDS,
    ) -> None:
        """``read_lists`` has the lists read at once; ``patience`` is for one person, in seconds."""
        self._patience = patience
        self._settings = settings
        self._database = database
        self._installations = installations
        self._confirmations = confirmations
        self._read_lists = read_lists
        self._about_to_look = 0
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._places = ThreadPoolExecutor(_AT_ONCE, "provider-events")

    def take(self, name: str, content: Content, fingerprint: str) -> None:
        """Store an event, if it is about something of ours, and act upon it soon.

        An App that is public can be installed by strangers, whose events are signed as well. One
        that comes again may be replayed: the provider decides, and the event does not count. A
        withdrawal counts again once the person has signed in since.
        """
        hint = hint_of(name, content)
        if hint is None or not self._is_ours(hint.organization):
            return
        with self._database.transaction() as connection:
            if hint.lists:
                poll_turns.ask_for_one(connection)
            else:
                account = self._settings.provider.id, hint.account_id or ""
                event_id = stored_events.name(*account, fingerprint)
                if hint.revoked:
                    event_id = stored_events.name_of_withdrawal(connection, event_id, *account)
                first, again = asdict(hint), asdict(hint.of_a_repeat())
                stored_events.store(
                    connection, event_id, first=first, again=again, is_urgent=hint.departs
                )
        if hint.lists:
            self._installations.forget()
            self._read_lists()
        else:
            self._begin()

    def look(self) -> None:
        """Begin with what waits: the process that took it may have ended before it acted."""
        for _ in range(stored_events.count_due(self._database.reader, _AT_ONCE)):
            self._begin()

    def _is_ours(self, organization: str | None) -> bool:
        """Tell whether an event may be about somebody here: of an organization, or of a person."""
        if organization is None:
            return True
        organizations = [Rule(RuleKind.ORGANIZATION, name) for name in self._settings.organizations]
        pinned = pins.of_rules(self._database.reader, organizations)
        return organization in {pin.number for pin in pinned.values()}

    def stop(self) -> None:
        """End, after what is under way. What comes from here on is left to other processes."""
        with self._lock:
            self._ended.set()
        self.finish()

    def finish(self) -> None:
        """End, after everything that waits."""
        self._places.shutdown()

    def _begin(self) -> None:
        with self._lock:
            # Those that are about to look see what is stored by now.
            if self._about_to_look < _AT_ONCE and not self._ended.is_set():
                self._about_to_look += 1
                self._places.submit(self._work)

    def _work(self) -> None:
        with self._lock:
            self._about_to_look -= 1
        try:
            while not self._ended.is_set():
                events = stored_events.claim(self._database)
                if events is None:
                    return
                stored_events.done(self._database, events, self._act(events))
        except SQLAlchemyError as error:
            _log.warning("events of the provider wait: %s", type(error).__name__)
        finally:
            self._database.hand_back_reader()

    def _act(self, events: ClaimedEvents) -> int:
        """Act upon the events of one person, and return how many questions that took."""
        try:
            return self._ask([each for each in map(hint_of_stored, events.hints) if each], events)
        except SQLAlchemyError:
            raise
        except Exception:  # noqa: BLE001  (nobody would hear of it)
            _log.exception("an event of the provider failed unexpectedly")
            return 0

    def _ask(self, said: Sequence[Hint], events: ClaimedEvents) -> int:
        account_id = said[0].account_id if said else None
        if account_id is None:
            return 0
        if any(hint.revoked for hint in said):
            # It says nothing of memberships, and the App can read nothing of them.
            self._confirmations.remove(account_id)
            return 0
        known = self._confirmations.find(account_id)
        departs = any(self._departs(hint, known) for hint in said)
        if known is None and not departs:
            return 0
        asked_before = stored_events.asked_lately(self._database.reader, events)
        left = (_MOST_OF_DEPARTURES if departs else _MOST) - asked_before
        if left <= 0 and not departs:
            return 0
        # The rules may name more teams than that: such a departure is asked about once.
        most = None if departs and not asked_before else left
        calls = self._installations.calls(self._patience, may_use_all=departs, most=most)
        about: dict[str, set[str]] = defaultdict(set)
        for hint in said:
            about[hint.organization or ""] |= {hint.team} if hint.team else set()
        try:
            self._confirmations.ask(calls, account_id, about)
        except SignInFailedError as error:
            _log.info("account %s could not be asked about: %s", account_id, error)
            if departs:
                self._confirmations.remove(account_id)
        return calls.asked

    def _departs(self, hint: Hint, known: StoredPerson | None) -> bool:
        """Tell whether an event says that a person has left what let them in.

        For somebody who may be signing in just now, every rule counts.
        """
        return hint.leaves and any(
            self._is_left(rule, hint)
            for rule in self._settings.admission.rules
            if known is None or str(rule) == known.admitted_by
        )

    def _is_left(self, rule: Rule, hint: Hint) -> bool:
        if rule.organization is None:
            return False
        owner = Rule(RuleKind.ORGANIZATION, rule.organization)
        pinned = pins.of_rules(self._database.reader, [owner, rule])
        numbers = {text: pin.number for text, pin in pinned.items()}
        if numbers.get(str(owner)) != hint.organization:
            return False
        if hint.team is None:
            return True
        return rule != owner and (hint.is_child or numbers.get(str(rule)) == hint.team)
