"""Renewing the number of a name in a rule, by an operator who knows whose it is now."""

from dataclasses import dataclass

from sqlalchemy import Connection

from authservice.services.admission import pins
from authservice.services.admission.decision import Pin
from authservice.settings.admission.rules import Rule


@dataclass(frozen=True, slots=True)
class Renewal:
    """The pin of a rule's name as stored, and the number that the name has now.

    Without a number, as of a team, the stored one is forgotten: the next member pins it.
    """

    rule: Rule
    stored: Pin | None
    number: str | None

    @property
    def changes(self) -> bool:
        """Tell whether anything is to be written."""
        return self.stored is not None if self.number is None else self.stored != Pin(self.number)

    @property
    def takes_back(self) -> bool:
        """Tell whether people whom the name let in before have to be confirmed."""
        return self.stored is not None and self.stored.number != self.number

    def content(self) -> dict[str, object]:
        """Return it as JSON has it."""
        return {
            "rule": str(self.rule),
            "former_number": None if self.stored is None else self.stored.number,
            "number": self.number,
            "changed": self.changes,
        }

    def __str__(self) -> str:
        """Return it as a line for operators."""
        if self.number is None:
            if self.stored is None:
                return f"{self.rule} has no number; the next member pins it"
            return f"{self.rule} no longer means {self.stored.number}; the next member pins it"
        if self.stored is None or self.stored.number == self.number:
            return f"{self.rule} means {self.number}"
        return f"{self.rule} means {self.number}, and no longer {self.stored.number}"


def carry_out(connection: Connection, renewal: Renewal) -> bool:
    """Write a renewal; False if the pin is no longer as it was when the renewal was planned."""
    if renewal.number is not None:
        return pins.renew(connection, renewal.rule, renewal.stored, renewal.number)
    return renewal.stored is None or pins.forget(connection, renewal.rule, renewal.stored)
