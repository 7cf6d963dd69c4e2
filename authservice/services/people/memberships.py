"""What the provider says of a person that rules and claims go by."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Group:
    """An organization, or a team as ``organization/team``, and its number at the provider."""

    name: str
    number: str


@dataclass(frozen=True, slots=True)
class Memberships:
    """The organizations and teams of a person, of those organizations that the settings name.

    Only active ones: an invitation is none. Parents of a team are among them. ``unreadable`` names
    the organizations, and single teams, that did not let us see, each with the reason.
    """

    organizations: tuple[Group, ...] = ()
    teams: tuple[Group, ...] = ()
    unreadable: tuple[tuple[str, str], ...] = ()
    unasked: tuple[Group, ...] = ()
    """Organizations and single teams of which nothing was asked: what is stored of them stays."""

    @property
    def names(self) -> tuple[str, ...]:
        """Return all names, sorted, as claims have them."""
        return tuple(sorted({group.name for group in (*self.organizations, *self.teams)}))

    def of(self, organizations: Iterable[str]) -> "Memberships":
        """Return those of these organizations only."""
        named = set(organizations)

        def of_these(groups: tuple[Group, ...]) -> tuple[Group, ...]:
            return tuple(each for each in groups if each.name.partition("/")[0] in named)

        unreadable = tuple(each for each in self.unreadable if each[0].partition("/")[0] in named)
        return replace(
            self,
            organizations=of_these(self.organizations),
            teams=of_these(self.teams),
            unreadable=unreadable,
        )

    def with_unread_of(self, stored: Mapping[str, str] | None) -> "Memberships":
        """Return these, and of the stored ones those that were not read this time."""
        unread = {name for name, _ in self.unreadable}
        return self._with(
            group
            for group in _groups(stored)
            if group.name in unread or group.name.partition("/")[0] in unread
        ).with_unasked_of(stored)

    def with_unasked_of(self, stored: Mapping[str, str] | None) -> "Memberships":
        """Return these, and of the stored ones those that nobody asked for this time."""
        unasked = {*self.unasked}
        organizations = {each.name for each in _groups(stored) if each in unasked}
        return self._with(
            group
            for group in _groups(stored)
            if group in unasked or group.name.partition("/")[0] in organizations
        )

    def _with(self, stored: Iterable[Group]) -> "Memberships":
        kept = {group.name: group.number for group in stored}
        return replace(Memberships.of_numbers(kept | self.numbers), unasked=self.unasked)

    @property
    def numbers(self) -> dict[str, str]:
        """Return the number of each by its name, as it is stored."""
        return {group.name: group.number for group in (*self.organizations, *self.teams)}

    @classmethod
    def of_numbers(cls, numbers: Mapping[str, str]) -> "Memberships":
        """Return those that were stored, with what could be read of them."""
        groups = [Group(name, number) for name, number in numbers.items()]
        return cls(
            organizations=tuple(group for group in groups if "/" not in group.name),
            teams=tuple(group for group in groups if "/" in group.name),
        )


def _groups(stored: Mapping[str, str] | None) -> list[Group]:
    return [Group(name, number) for name, number in (stored or {}).items()]


NONE = Memberships()
