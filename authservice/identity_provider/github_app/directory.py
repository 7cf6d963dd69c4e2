"""Everyone who is in the organizations of the settings, read from the lists of the App."""

from collections import defaultdict
from collections.abc import Callable

from authservice.identity_provider.github_app.app_memberships import AppMemberships
from authservice.identity_provider.github_app.installations import Installation
from authservice.identity_provider.github_app.known_pages import UnreadableError
from authservice.identity_provider.provider_calls import ProviderCalls
from authservice.services.people.memberships import Group, Memberships

Before = Callable[[], None]


class Directory:
    """The groups of every member, by the number of the account."""

    def __init__(self) -> None:
        self.unreadable: list[tuple[str, str]] = []
        self._organizations: dict[Group, set[str]] = {}
        self._teams: dict[Group, set[str]] = {}
        self._of: dict[str, tuple[list[Group], list[Group]]] = defaultdict(lambda: ([], []))

    def add_organization(self, organization: Group, members: set[str]) -> None:
        """Note who is in an organization."""
        if organization not in self._organizations:
            self._organizations[organization] = members
            for number in members:
                self._of[number][0].append(organization)

    def add_team(self, organization: Group, team: Group, members: set[str]) -> None:
        """Note who is in a team, and in its organization too."""
        if team not in self._teams:
            self._teams[team] = members
            for number in members & self._organizations[organization]:
                self._of[number][1].append(team)

    def of(self, account_id: str) -> Memberships:
        """Return the groups of an account."""
        organizations, teams = self._of.get(account_id, ((), ()))
        return Memberships(tuple(organizations), tuple(teams), tuple(self.unreadable))

    @property
    def all_groups(self) -> Memberships:
        """Return every group that has been read, as if one person were in all."""
        return Memberships(tuple(self._organizations), tuple(self._teams))


def read(source: AppMemberships, calls: ProviderCalls, before: Before) -> Directory:
    """Return what the lists say; raises SignInFailedError for an outage.

    ``before`` is called before each question. What one organization does not let the App see
    concerns no other.
    """
    directory = Directory()
    before()
    for name, place in source.places(calls):
        if isinstance(place, str):
            directory.unreadable.append((name, place))
            continue
        try:
            _read_one(source, calls, before, directory, name, place)
        except UnreadableError as error:
            directory.unreadable.append((name, source.noted(error)))
    return directory


def _read_one(
    source: AppMemberships,
    calls: ProviderCalls,
    before: Before,
    directory: Directory,
    name: str,
    place: Installation,
) -> None:
    api = source.api(calls, place)
    organization = place.organization
    lists = source.organizations
    directory.add_organization(organization, lists.members(api, place, before))
    teams = lists.teams(api, place, before)
    directory.unreadable += source.missing_teams(name, teams)
    for team in teams:
        try:
            members = lists.team_members(api, team.group, before)
        except UnreadableError as error:
            # It may have been deleted since the list was read.
            directory.unreadable.append((team.group.name, source.noted(error)))
            continue
        directory.add_team(organization, team.group, members)
