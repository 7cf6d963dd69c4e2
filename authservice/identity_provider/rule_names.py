"""The names in rules get their numbers: at the start, and soon after where that could not be.

Asked for are accounts and organizations of the settings and of clients' lists. The provider shows
teams to their members only: a GitHub App reads them, or ``authservice admission pin`` has a number.
"""

import logging
import threading
from collections.abc import Collection, Sequence

from sqlalchemy.exc import SQLAlchemyError

from authservice.database.database import Database
from authservice.identity_provider import OutageError, SignInFailedError
from authservice.identity_provider.public_api import UNAUTHORIZED, PublicApi
from authservice.services.admission import client_rules, pins
from authservice.services.admission.pins import Renewal
from authservice.services.upkeep.recurring import Recurring
from authservice.settings import AuthSettings
from authservice.settings.admission.rules import Rule, RuleKind

_log = logging.getLogger(__name__)

_AGAIN_AFTER = 60.0
# A start does not wait longer for a provider, nor a stop for one question.
_START_SECONDS, _CALL_SECONDS = 9.0, 3.0
_SECONDS = 50.0


class RuleNames:
    """Asks the provider for the numbers of names that have none."""

    def __init__(self, settings: AuthSettings, database: Database) -> None:
        self._settings = settings
        self._database = database
        # A name that nobody has may be taken by a stranger at any time: it is not tried again.
        self._nobodys: set[Rule] = set()
        self._troubles: Collection[str] = ()
        self._looking = Recurring(
            "names of rules",
            lambda ended: self.resolve(ended=ended),
            database,
            first=_AGAIN_AFTER,
            interval=_AGAIN_AFTER,
        )

    def start(self) -> None:
        """Ask now, and from then on each minute for what is new or had no answer."""
        self.resolve(_START_SECONDS)
        self._looking.start()

    def stop(self) -> None:
        """End, after the question that is under way."""
        self._looking.stop()

    def resolve(self, patience: float = _SECONDS, ended: threading.Event | None = None) -> None:
        """Ask for the names without a number; until then they admit nobody.

        That ends after so many seconds, or with the next question once ``ended`` is set.
        """
        # What is said of each, by what it is: the text may name another moment each time.
        troubles: dict[str, str] = {}
        try:
            unresolved = self._unresolved()
            teams = [rule for rule in unresolved if rule.kind is RuleKind.TEAM]
            if self._settings.provider.app is None:
                troubles |= {str(team): str(Renewal(team, None, None)) for team in teams}
            public = [rule for rule in unresolved if rule not in {*teams, *self._nobodys}]
            numbers = self._numbers(public, patience, ended or threading.Event(), troubles)
            if numbers:
                with self._database.transaction() as connection:
                    pins.learn(connection, numbers)
        except SQLAlchemyError as error:
            database = f"names in rules wait for the database: {type(error).__name__}"
            troubles[database] = database
        for trouble, said in troubles.items():
            if trouble not in self._troubles:
                _log.warning("%s", said)
        self._troubles = troubles.keys()

    def _unresolved(self) -> list[Rule]:
        reader = self._database.reader
        rules = dict.fromkeys((*pins.named_rules(self._settings), *client_rules.names(reader)))
        pinned = pins.all_pins(reader)
        return [rule for rule in rules if rule.names and str(rule) not in pinned]

    def _numbers(
        self,
        unresolved: Sequence[Rule],
        patience: float,
        ended: threading.Event,
        troubles: dict[str, str],
    ) -> dict[Rule, str]:
        """Return what the provider says, as long as it says anything; and note what it does not."""
        if not unresolved:
            return {}
        numbers: dict[Rule, str] = {}
        provider = PublicApi(self._settings, patience, call=_CALL_SECONDS)
        for rule in unresolved:
            if ended.is_set():
                break
            try:
                number = provider.number_of(rule)
            except SignInFailedError as error:
                ends = isinstance(error, OutageError) or error.code == UNAUTHORIZED
                what = "every name without a number" if ends else rule
                troubles[f"{what} {error.code}"] = f"{what} admits nobody yet: {error}"
                if ends:
                    break
                continue
            if number is not None:
                numbers[rule] = number
                continue
            self._nobodys.add(rule)
            nobody = "nobody has that name at the identity provider"
            troubles[f"{rule} nobody"] = f"{rule} admits nobody: {nobody}"
        return numbers
