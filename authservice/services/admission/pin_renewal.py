"""Renewing the number of a name in a rule, by an operator who knows whose it is now."""

from dataclasses import dataclass

from authservice.services.admission.decision import Pin
from authservice.settings.admission.rules import Rule


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
