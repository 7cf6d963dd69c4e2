"""Acting upon events of the provider: in threads of their own, within seconds.

An event is a hint: what the provider answers about the person counts. Only while it cannot be
reached does the event itself count, the first time it comes: a removal then removes.
"""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from sqlalchemy.exc import SQLAlchemyError

from authservice import clock
from authservice.database.database import Database, insert_or_ignore
from authservice.identity_provider import SignInFailedError
from authservice.identity_provider.github_app import hints
from authservice.identity_provider.github_app.confirmations import Confirmations
from authservice.identity_provider.github_app.hints import Hint
from authservice.identity_provider.github_app.installations import Installations
from authservice.models import provider_event
from authservice.services.admission import pins, poll_turns
from authservice.services.admission.facts import Group
from authservice.settings import AuthSettings
from authservice.settings.admission.rules import Rule, RuleKind

_log = logging.getLogger(__name__)

_AT_ONCE = 8
# What is said of a person must be known five seconds after the event.
_SECONDS = 4.0
# More people at once are left to the lists.
_MOST_WAITING = 500


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
        self._waiting: set[tuple[Hint, bool]] = set()
        self._lock = threading.Lock()
        self._places = ThreadPoolExecutor(_AT_ONCE, "provider-events")

    def take(self, name: str, content: hints.Content, fingerprint: str) -> None:
        """Act upon an event soon, if it is about something of ours.

        An App that is public can be installed by strangers, whose events are signed as well. One
        that comes again may be replayed: the provider decides, and the event does not count.
        """
        hint = hints.of_event(name, content)
        if hint is None or not self._is_ours(hint.owner):
            return
        with self._database.transaction() as connection:
            seen = {"id": fingerprint, "received_at": clock.now()}
            is_new = insert_or_ignore(connection, provider_event, seen)
        if hint.lists:
            self._places.submit(self._lists_changed)
        if hint.account_id is None:
            return
        with self._lock:
            if (hint, is_new) in self._waiting:
                return
            full = len(self._waiting) >= _MOST_WAITING
            if not full:
                self._waiting.add((hint, is_new))
        self._places.submit(*(self._lists_changed,) if full else (self._act, hint, is_new))

    def _is_ours(self, owner: Group | None) -> bool:
        """Tell whether an event may be about somebody here: of an organization, or of a person."""
        if owner is None:
            return True
        organizations = [Rule(RuleKind.ORGANIZATION, name) for name in self._settings.organizations]
        pinned = pins.of_rules(self._database.reader, organizations)
        return owner.number in {pin.number for pin in pinned.values()}

    def stop(self) -> None:
        """End, after what is under way."""
        self._places.shutdown(cancel_futures=True)

    def finish(self) -> None:
        """End, after everything that was taken."""
        self._places.shutdown()

    def _lists_changed(self) -> None:
        self._installations.forget()
        try:
            with self._database.transaction() as connection:
                poll_turns.ask_for_one(connection)
        except SQLAlchemyError as error:
            _log.warning("an event of the provider is lost: %s", type(error).__name__)
        self._read_lists()

    def _act(self, hint: Hint, is_new: bool) -> None:  # noqa: FBT001  (given by the pool)
        with self._lock:
            # An event that comes from here on may not be part of the answer: it waits for its own.
            self._waiting.discard((hint, is_new))
        try:
            self._ask(hint, is_new=is_new)
        except SQLAlchemyError as error:
            _log.warning("an event of the provider waits for the lists: %s", type(error).__name__)
        except Exception:  # noqa: BLE001  (nobody would hear of it)
            _log.exception("an event of the provider failed unexpectedly")
        finally:
            self._database.hand_back_reader()

    def _ask(self, hint: Hint, *, is_new: bool) -> None:
        account_id = hint.account_id or ""
        if hint.revoked and is_new:
            # It says nothing of memberships, and the App can read nothing of them.
            self._confirmations.remove(account_id)
            return
        try:
            self._confirmations.ask(self._installations.calls(self._patience), account_id)
        except SignInFailedError as error:
            _log.info("account %s could not be asked about: %s", account_id, error)
            if is_new and self._counts(hint):
                self._confirmations.remove(account_id)

    def _counts(self, hint: Hint) -> bool:
        """Tell whether the person was admitted by what they are said to have left."""
        known = self._confirmations.find(hint.account_id or "")
        if not hint.leaves:
            return False
        if known is None or known.admitted_by is None:
            # Somebody who is signing in just now.
            return known is None
        return any(
            self._is_left(rule, hint)
            for rule in self._settings.admission.rules
            if str(rule) == known.admitted_by
        )

    def _is_left(self, rule: Rule, hint: Hint) -> bool:
        if rule.organization is None:
            return False
        owner = Rule(RuleKind.ORGANIZATION, rule.organization)
        pinned = pins.of_rules(self._database.reader, [owner, rule])
        numbers = {text: pin.number for text, pin in pinned.items()}
        if hint.owner is None or numbers.get(str(owner)) != hint.owner.number:
            return False
        if hint.team is None:
            return True
        return rule != owner and (hint.is_child or numbers.get(str(rule)) == hint.team)
