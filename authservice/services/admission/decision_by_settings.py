"""What the settings decide about a person: names are marked first, then the rules decide."""

from sqlalchemy import Connection

from authservice.services.admission import decision, pinned_groups, pins
from authservice.services.admission.decision import EVERYONE, Decision, Person
from authservice.settings import AuthSettings


def decide(connection: Connection, settings: AuthSettings, person: Person) -> Decision:
    """Return what the rules decide. A name that means another one now is marked for it."""
    if not settings.local_mode:
        pinned_groups.see(connection, settings, person)
    admission = settings.admission
    if admission.everyone:
        return Decision(EVERYONE)
    pinned = pins.in_force(connection, settings, admission.rules, person)
    trust_emails = settings.provider.trust_emails
    return decision.decide(admission.rules, pinned, person, trust_emails=trust_emails)
