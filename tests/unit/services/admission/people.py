"""People whom the provider knows, and the settings that say who of them may sign in."""

from authservice.services.admission.decision import Person
from authservice.services.people.memberships import Group, Memberships
from authservice.settings.admission import rules
from tests.unit.settings.loading import production


def person(account_id="1", username="ada", email=None, organizations=(), teams=(), unreadable=()):
    """Return a person; groups are given as ``{"acme": "7"}``."""
    memberships = Memberships(
        tuple(Group(name, number) for name, number in dict(organizations).items()),
        tuple(Group(name, number) for name, number in dict(teams).items()),
        tuple(unreadable),
    )
    return Person(account_id, username, email, memberships)


def parsed(*entries):
    return tuple(rules.parse(entry) for entry in entries)


def admitting(ini=(), **variables):
    """Return the settings of a production with these variables of admission alone."""
    return production(ini, {"ADMISSION_EVERYONE": None, **variables})
