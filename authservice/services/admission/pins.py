"""The numbers of the names in rules: pinned when first seen, and renewed by an operator only.

A login or the name of an organization can be taken by a stranger once it is free. So a name means
the number that it had at first. A name that is found with another number admits nobody any more.
"""

import logging
from collections.abc import Mapping, Sequence

from sqlalchemy import ColumnElement, Connection, bindparam, delete, or_, select, update

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


def of_rules(connection: Connection, rules: Sequence[Rule]) -> dict[str, Pin]:
    """Return the pinned numbers of these rules, by their texts."""
    names = [str(rule) for rule in rules if rule.names]
    if not names:
        return {}
    rows = connection.execute(select(*_COLUMNS).where(pinned_name.c.id.in_(names)))
    return {text: Pin(number, other) for text, number, other in rows}


def resolve(connection: Connection, rules: Sequence[Rule], person: Person) -> dict[str, Pin]:
    """Pin what a person shows of the names in rules, and return the pins of all rules.

    A name that is pinned with another number is marked as such, with a warning.
    """
    pins = of_rules(connection, rules)
    seen = [(rule, person.number_of(rule)) for rule in rules if rule.names]
    news = [(rule, number) for rule, number in seen if number and not _is_known(pins, rule, number)]
    for rule, number in news:
        if not _pin(connection, rule, number):
            _mark(connection, rule, number)
    return of_rules(connection, rules) if news else pins


def foreseen(pins: Mapping[str, Pin], rules: Sequence[Rule], person: Person) -> dict[str, Pin]:
    """Return the pins as ``resolve`` would leave them, and store nothing."""
    result = dict(pins)
    for rule in rules:
        number = person.number_of(rule)
        known = result.get(str(rule))
        if number is not None and known is None:
            result[str(rule)] = Pin(number)
        elif number is not None and known is not None and number != known.number:
            result[str(rule)] = Pin(known.number, number)
    return result


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


def forget(connection: Connection, rule: Rule, stored: Pin) -> bool:
    """Forget the number of a name, so that the next member pins it; False as for ``renew``."""
    if not connection.execute(delete(pinned_name).where(*_still(rule, stored))).rowcount:
        return False
    _unconfirm(connection, rule)
    return True


def _still(rule: Rule, stored: Pin) -> tuple[ColumnElement[bool], ...]:
    column = pinned_name.c
    # SQL's = would tell nothing of a number that is not there.
    other = column.other_number.is_not_distinct_from(stored.other_number)
    return column.id == str(rule), column.number == stored.number, other


def _is_known(pins: dict[str, Pin], rule: Rule, number: str) -> bool:
    pin = pins.get(str(rule))
    return pin is not None and number in {pin.number, pin.other_number}


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


def _mark(connection: Connection, rule: Rule, number: str) -> None:
    """Note that a name has another number than the pinned one, unless that is known."""
    values = {"of_rule": str(rule), "seen": number, "now": clock.now()}
    if _REASSIGN.rowcount(connection, values):
        _log.warning(
            "%s admits nobody any more: the name has the number %s now, which is not the pinned"
            " one; see authservice admission pin",
            rule,
            number,
        )


def _unconfirm(connection: Connection, rule: Rule) -> None:
    """Make everyone unconfirmed whom a rule admitted."""
    admitted = update(user).where(user.c.admitted_by == str(rule))
    connection.execute(admitted.values(admitted_at=None))
