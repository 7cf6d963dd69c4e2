"""What the settings decide about a person who is there: names are pinned, then rules decide."""

from sqlalchemy import Connection

from authservice.services.admission import pins
from authservice.services.admission.decision import EVERYONE, Decision, Person, decide
from authservice.settings import AuthSettings


def judge(connection: Connection, settings: AuthSettings, person: Person) -> Decision:
    """Return what the rules decide. What it learns of names is stored, also of who is refused."""
    admission = settings.admission
    if admission.everyone:
        return Decision(EVERYONE)
    pinned = pins.resolve(connection, admission.rules, person)
    return decide(admission.rules, pinned, person, trust_emails=settings.provider.trust_emails)
