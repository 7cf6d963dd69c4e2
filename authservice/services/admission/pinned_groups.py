"""The groups of a person under the names that the settings have for them.

What a name means is its pinned number. An organization that was renamed keeps its name here until
an operator changes the settings. One whose number is not pinned, such as a stranger's that has
taken the name, is left out.
"""

from collections.abc import Mapping
from dataclasses import replace

from authservice.services.admission.decision import Pin
from authservice.services.admission.facts import Group, Memberships
from authservice.settings.admission.rules import RuleKind


def under_pinned_names(memberships: Memberships, pins: Mapping[str, Pin]) -> Memberships:
    """Return the groups; ``pins`` has the numbers of names by the text of their rule."""
    names = _by_number(pins, RuleKind.ORGANIZATION)
    organizations = {
        each.name: Group(names[each.number], each.number)
        for each in memberships.organizations
        if each.number in names
    }
    names = _by_number(pins, RuleKind.TEAM)
    teams = []
    for team in memberships.teams:
        organization, _, slug = team.name.partition("/")
        if organization in organizations:
            name = f"{organizations[organization].name}/{slug}"
            teams.append(_named(Group(name, team.number), names))
    return Memberships(
        tuple(organizations.values()), tuple(filter(None, teams)), memberships.unreadable
    )


def with_names_of_the_unread(memberships: Memberships, pins: Mapping[str, Pin]) -> Memberships:
    """Return the groups, and by name what the provider held back with no more than the number.

    Such an organization stands in ``unreadable`` as ``id:`` and its number.
    """
    names = _by_number(pins, RuleKind.ORGANIZATION)
    unreadable = tuple(
        (names.get(text.removeprefix(f"{RuleKind.ID}:"), text), reason)
        for text, reason in memberships.unreadable
    )
    return replace(memberships, unreadable=unreadable)


def _by_number(pins: Mapping[str, Pin], kind: RuleKind) -> dict[str, str]:
    of_kind = f"{kind}:"
    return {
        pin.number: text.removeprefix(of_kind)
        for text, pin in pins.items()
        if text.startswith(of_kind)
    }


def _named(group: Group, names: Mapping[str, str]) -> Group | None:
    """Return the group under its pinned name; None where its name is that of another number."""
    if group.number in names:
        return Group(names[group.number], group.number)
    return None if group.name in names.values() else group
