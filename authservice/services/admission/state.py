"""Under which rules people were admitted, and whether the provider answers.

The table has one row. A start under other rules stores theirs, and everyone has to be confirmed
under them: also those who signed in before there were rules.
"""

import hashlib
import logging
from datetime import timedelta

from sqlalchemy import Connection, select, update

from authservice import clock
from authservice.database.database import Database, insert_or_ignore
from authservice.models import admission_state, user
from authservice.services.admission.decision import EVERYONE
from authservice.settings import AuthSettings
from authservice.settings.admission.rules import RuleKind

_log = logging.getLogger(__name__)

ONLY = "admission"
OUTAGE_COUNTS_FOR = timedelta(minutes=10)
"""How long after the last question without an answer the provider still counts as away."""

_state = admission_state.c


def fingerprint(settings: AuthSettings) -> str:
    """Return what tells the rules of the settings from all others, whatever their order."""
    admission = settings.admission
    lines = sorted(str(rule) for rule in admission.rules)
    if any(rule.kind is RuleKind.DOMAIN for rule in admission.rules):
        lines.append(f"trust_emails:{settings.provider.trust_emails}")
    if admission.everyone:
        lines.append(EVERYONE)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def apply(database: Database, settings: AuthSettings) -> bool:
    """Put the rules of the settings in force; tell whether others were before."""
    if is_current(database.reader, fingerprint(settings)):
        # As at nearly every start, which is quicker when it writes nothing.
        return False
    with database.transaction() as connection:
        return put_in_force(connection, settings)


def put_in_force(connection: Connection, settings: AuthSettings) -> bool:
    """As ``apply``, in a transaction that has not yet locked an account or a person."""
    rules = fingerprint(settings)
    if not insert_or_ignore(connection, admission_state, {"id": ONLY, "rules": rules}):
        others = update(admission_state).where(_state.id == ONLY, _state.rules != rules)
        # Whom the new rules admit is confirmed as soon as an App can.
        if not connection.execute(others.values(rules=rules, poll_at=None)).rowcount:
            return False
    if not settings.admission.everyone:
        admitted = update(user).where(user.c.admitted_at.is_not(None))
        connection.execute(admitted.values(admitted_at=None))
    return True


def is_current(connection: Connection, rules: str) -> bool:
    """Tell whether the rules with this fingerprint are in force."""
    current = select(_state.id).where(_state.id == ONLY, _state.rules == rules)
    return connection.scalar(current) is not None


def note_outage(connection: Connection) -> None:
    """Store that the provider did not answer just now; the first time is worth a warning.

    Not in a transaction that has locked an account.
    """
    now = clock.now()
    row = update(admission_state).where(_state.id == ONLY)
    if connection.execute(row.where(_state.outage_at.is_(None)).values(outage_at=now)).rowcount:
        _log.warning(
            "the identity provider does not answer: people whose admission is due stay admitted"
            " meanwhile, for admission.outage_grace at most"
        )
        return
    connection.execute(row.where(_state.outage_at < now).values(outage_at=now))


def outage_ended(connection: Connection) -> None:
    """Store that the provider answers; not in a transaction that has locked an account."""
    noted = update(admission_state).where(_state.id == ONLY, _state.outage_at.is_not(None))
    if connection.execute(noted.values(outage_at=None)).rowcount:
        _log.info("the identity provider answers again")


def outage_lasts(connection: Connection) -> bool:
    """Tell whether the provider did not answer a moment ago."""
    since = clock.now() - OUTAGE_COUNTS_FOR
    recent = select(_state.id).where(_state.id == ONLY, _state.outage_at > since)
    return connection.scalar(recent) is not None


class RulesInForce:
    """The rules of this process: put in force at its start, or by the first sign-in after that."""

    def __init__(self, settings: AuthSettings) -> None:
        self._settings = settings
        self._stored = False
        self.fingerprint = fingerprint(settings)
        """What a confirmation names them by."""

    def apply(self, database: Database) -> None:
        """Put them in force; raises what the database raises."""
        apply(database, self._settings)
        self._stored = True

    def ensure(self, connection: Connection) -> None:
        """Put them in force unless this process has done so: its database was away at the start.

        In a transaction that has not yet locked an account or a person.
        """
        if not self._stored:
            # Changed rules are stored once this is committed: the next time tells.
            self._stored = not put_in_force(connection, self._settings)
