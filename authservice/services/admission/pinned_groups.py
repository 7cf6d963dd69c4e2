"""The groups of a person under the names that the settings have for them.

What a name means is its pinned number. An organization that was renamed keeps its name here until
an operator changes the settings. One whose number is not pinned, such as a stranger's that has
taken the name, is left out.

The same holds for teams. A rule's team has its number from an operator or from the provider. Every
other team keeps the number with which it was first seen. A team that was made under a name that
became free is left out until an operator pins its number.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlalchemy import Connection

from authservice.services.admission import client_rules, pins
from authservice.services.admission.decision import Person, Pin
from authservice.services.people.memberships import Group, Memberships
from authservice.settings import AuthSettings
from authservice.settings.admission.rules import Rule, RuleKind


def see(connection: Connection, settings: AuthSettings, person: Person) -> None:
    """Take note of what names mean today: the first number of a team is pinned, another marked.

    In a transaction that has not yet locked a person. A name in a rule gets no number here.
    """
    pins.mark(connection, person)
    if not (person.memberships and person.memberships.teams):
        return
    named = pins.named_rules(settings)
    listed = under_pinned_names(person.memberships, pins.of_rules(connection, named))
    numbers = {Rule(RuleKind.TEAM, team.name): team.number for team in listed.teams}
    stored = pins.of_rules(connection, numbers)
    others = {*named, *client_rules.names(connection)}
    pins.learn(
        connection,
        {
            rule: number
            for rule, number in numbers.items()
            if str(rule) not in stored and rule not in others
        },
    )


def told(
    connection: Connection, settings: AuthSettings, several: Sequence[Memberships]
) -> list[Memberships]:
    """Return the groups of several people as they may be told and asked for."""
    pinned = pins.of_settings(connection, settings)
    listed = [under_pinned_names(each, pinned) for each in several]
    rules = {Rule(RuleKind.TEAM, team.name) for each in listed for team in each.teams}
    stored = pins.of_rules(connection, rules)
    numbers = {text.removeprefix(f"{RuleKind.TEAM}:"): pin.number for text, pin in stored.items()}
    return [
        replace(
            each, teams=tuple(team for team in each.teams if numbers.get(team.name) == team.number)
        )
        for each in listed
    ]


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
    return replace(
        memberships,
        organizations=tuple(organizations.values()),
        teams=tuple(filter(None, teams)),
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
