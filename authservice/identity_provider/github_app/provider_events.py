"""Acting upon events of the provider: in threads of their own, within seconds.

An event is a hint: what the provider answers about the person counts. Only while it cannot be
reached does the event itself count, the first time it comes: a removal then removes. What is to be
done is stored before the provider hears that the event was taken, so that no process loses it.
"""

import logging
import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict

from sqlalchemy.exc import SQLAlchemyError

from authservice.database.database import Database
from authservice.identity_provider import SignInFailedError
from authservice.identity_provider.github_app import hints
from authservice.identity_provider.github_app.confirmations import Confirmations
from authservice.identity_provider.github_app.hints import Hint
from authservice.identity_provider.github_app.installations import Installations
from authservice.services.admission import pins, poll_turns, stored_events
from authservice.services.admission.stored_events import ClaimedEvents
from authservice.services.admission.stored_people import StoredPerson
from authservice.settings import AuthSettings
from authservice.settings.admission.rules import Rule, RuleKind

_log = logging.getLogger(__name__)

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

    def take(self, name: str, content: hints.Content, fingerprint: str) -> None:
        """Store an event, if it is about something of ours, and act upon it soon.

        An App that is public can be installed by strangers, whose events are signed as well. One
        that comes again may be replayed: the provider decides, and the event does not count. A
        withdrawal counts again once the person has signed in since.
        """
        hint = hints.of_event(name, content)
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
            return self._ask([each for each in map(hints.of_stored, events.hints) if each], events)
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
        departs = any(self._counts(hint, known) for hint in said)
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

    def _counts(self, hint: Hint, known: StoredPerson | None) -> bool:
        """Tell whether a person is said to have left what let them in.

        Of somebody who may be signing in just now, that is what any rule names.
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
