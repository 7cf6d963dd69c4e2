"""The numbers of the names in rules: learned from the provider, and renewed by an operator only.

A login or the name of an organization can be taken by a stranger once it is free. So a name means
the number that it had when the provider was asked for it, and no sign-in gives it one. Without a
number it admits nobody, nor does a name that is found with another number later.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, bindparam, or_, select, update

from authservice import clock
from authservice.database.database import insert_or_ignore
from authservice.database.prepared import Prepared
from authservice.models import pinned_name, user
from authservice.services.admission.decision import Person, Pin
from authservice.settings import AuthSettings
from authservice.settings.admission.rules import Rule, RuleKind

_log = logging.getLogger(__name__)

_COLUMNS = pinned_name.c.id, pinned_name.c.number, pinned_name.c.other_number
_REASSIGN = Prepared(
    update(pinned_name)
    .where(
        pinned_name.c.id == bindparam("of_rule"),
        pinned_name.c.number != bindparam("seen"),
        or_(
            pinned_name.c.other_number.is_(None),
            pinned_name.c.other_number != bindparam("seen"),
        ),
    )
    .values(other_number=bindparam("seen"), updated_at=bindparam("now"))
)


def all_pins(connection: Connection) -> dict[str, Pin]:
    """Return every pinned number by the text of its rule, also of rules that are gone."""
    rows = connection.execute(select(*_COLUMNS).order_by(pinned_name.c.id))
    return {text: Pin(number, other) for text, number, other in rows}


def named_rules(settings: AuthSettings) -> list[Rule]:
    """Return the rules, and one for each organization that is named, if only for claims."""
    organizations = [Rule(RuleKind.ORGANIZATION, name) for name in settings.organizations]
    return list(dict.fromkeys((*settings.admission.rules, *organizations)))


def of_rules(connection: Connection, rules: Iterable[Rule]) -> dict[str, Pin]:
    """Return the pinned numbers of these rules, by their texts."""
    names = [str(rule) for rule in rules if rule.names]
    if not names:
        return {}
    rows = connection.execute(select(*_COLUMNS).where(pinned_name.c.id.in_(names)))
    return {text: Pin(number, other) for text, number, other in rows}


def of_settings(connection: Connection, settings: AuthSettings) -> dict[str, Pin]:
    """Return the pinned numbers of all names in the settings, by the texts of their rules."""
    return of_rules(connection, named_rules(settings))


def in_force(
    connection: Connection, settings: AuthSettings, rules: Sequence[Rule], person: Person
) -> dict[str, Pin]:
    """Return the numbers that names have for the rules: in local mode, whose they are today."""
    if settings.local_mode:
        shown = person.shown
        return {str(rule): Pin(shown.get(str(rule), "")) for rule in rules if rule.names}
    return of_rules(connection, rules)


def learn(connection: Connection, numbers: Mapping[Rule, str]) -> None:
    """Pin names to the numbers that the provider says they have, unless they have one by now."""
    for rule, number in numbers.items():
        if _pin(connection, rule, number):
            _log.info("%s means the number %s from now on", rule, number)


def mark(connection: Connection, person: Person) -> None:
    """Mark each pinned name that a person shows with another number, with a warning."""
    shown = person.shown
    pinned = select(*_COLUMNS).where(pinned_name.c.id.in_(shown))
    for text, number, other in connection.execute(pinned).all():
        if shown[text] not in {number, other}:
            _mark(connection, text, shown[text])


def marked(pins: Mapping[str, Pin], person: Person) -> dict[str, Pin]:
    """Return pins as ``mark`` would leave them, and store nothing."""
    shown = person.shown
    return {
        text: pin if shown.get(text, pin.number) == pin.number else Pin(pin.number, shown[text])
        for text, pin in pins.items()
    }


def renew(connection: Connection, rule: Rule, stored: Pin | None, number: str) -> bool:
    """Pin a name to the number that it has now; False if the pin is no longer the stored one.

    Those whom the rule admitted under another number have to be confirmed.
    """
    if stored is None:
        return _pin(connection, rule, number)
    values = {"number": number, "other_number": None, "updated_at": clock.now()}
    change = update(pinned_name).where(*_still(rule, stored)).values(values)
    if not connection.execute(change).rowcount:
        return False
    if stored.number != number:
        _unconfirm(connection, rule)
    return True


def _still(rule: Rule, stored: Pin) -> tuple[ColumnElement[bool], ...]:
    column = pinned_name.c
    # SQL's = would tell nothing of a number that is not there.
    other = column.other_number.is_not_distinct_from(stored.other_number)
    return column.id == str(rule), column.number == stored.number, other


def _pin(connection: Connection, rule: Rule, number: str) -> bool:
    now = clock.now()
    row = {
        "id": str(rule),
        "number": number,
        "other_number": None,
        "created_at": now,
        "updated_at": now,
    }
    return insert_or_ignore(connection, pinned_name, row)


def _mark(connection: Connection, text: str, number: str) -> None:
    values = {"of_rule": text, "seen": number, "now": clock.now()}
    if _REASSIGN.rowcount(connection, values):
        _log.warning(
            "%s counts for nobody any more: the name has the number %s now, which is not the pinned"
            " one; see authservice admission pin",
            text,
            number,
        )


def _unconfirm(connection: Connection, rule: Rule) -> None:
    """Make everyone unconfirmed whom a rule admitted."""
    admitted = update(user).where(user.c.admitted_by == str(rule))
    connection.execute(admitted.values(admitted_at=None))


@dataclass(frozen=True, slots=True)
class Renewal:
    """The pin of a rule's name as stored, and the number that the name is to have.

    It is None where the provider does not show it, and the stored one stays.
    """

    rule: Rule
    stored: Pin | None
    number: str | None

    @property
    def changes(self) -> bool:
        """Tell whether anything is to be written."""
        return self.number is not None and self.stored != Pin(self.number)

    @property
    def takes_back(self) -> bool:
        """Tell whether people whom the name let in before have to be confirmed."""
        return self.changes and self.stored is not None and self.stored.number != self.number

    def content(self) -> dict[str, object]:
        """Return it as JSON has it."""
        former = None if self.stored is None else self.stored.number
        return {
            "rule": str(self.rule),
            "former_number": former,
            "number": former if self.number is None else self.number,
            "changed": self.changes,
        }

    def __str__(self) -> str:
        """Return it as a line for operators."""
        if self.number is None and (self.stored is None or self.stored.other_number is not None):
            return (
                f"{self.rule} admits nobody: the provider shows its number to members only;"
                f" authservice admission pin {self.rule} --number NUMBER"
            )
        if self.takes_back and self.stored is not None:
            return f"{self.rule} means {self.number}, and no longer {self.stored.number}"
        return f"{self.rule} means {self.content()['number']}"
