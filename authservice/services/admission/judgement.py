"""What the settings decide about a person who is there: names are pinned, then rules decide."""

from dataclasses import dataclass

from sqlalchemy import Connection

from authservice.services.admission import decision, pins
from authservice.services.admission.decision import EVERYONE, Person, Reason
from authservice.settings import AuthSettings


@dataclass(frozen=True, slots=True)
class Judgement:
    """What admits a person, as it is stored; None where nothing does, and why."""

    admitted_by: str | None
    reasons: tuple[Reason, ...] = ()

    @property
    def is_definite(self) -> bool:
        """Tell whether nothing was left open: what could not be read, or a name that moved."""
        return not decision.left_open(self.reasons)


def judge(connection: Connection, settings: AuthSettings, person: Person) -> Judgement:
    """Return what the rules decide. What it learns of names is stored, also of who is refused."""
    admission = settings.admission
    if admission.everyone:
        return Judgement(EVERYONE)
    pinned = pins.resolve(connection, admission.rules, person)
    trust_emails = settings.provider.trust_emails
    decided = decision.decide(admission.rules, pinned, person, trust_emails=trust_emails)
    rule = decided.admitted_by
    return Judgement(None if rule is None else str(rule), decided.reasons)
