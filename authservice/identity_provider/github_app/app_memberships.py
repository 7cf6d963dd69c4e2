"""The groups of one person, as the App sees them: at a sign-in, and when an event is about them.

It asks for the same memberships whose lists the poll reads, and not for more the more teams there
are: a sign-in has the person's own list of teams. Otherwise it asks for the teams of rules, and
leaves all others to the poll.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Self

from authservice.identity_provider import own_memberships, reasons
from authservice.identity_provider.github_app.installations import (
    NOT_INSTALLED,
    Installation,
    Installations,
)
from authservice.identity_provider.github_app.known_pages import NOT_OUR_TOKEN, UnreadableError
from authservice.identity_provider.github_app.organizations import (
    Organizations,
    has_member,
    team_has_member,
)
from authservice.identity_provider.github_groups import Team
from authservice.identity_provider.github_profile import account_number
from authservice.identity_provider.named_groups import NamedGroups, PinsOf
from authservice.identity_provider.own_memberships import OwnList
from authservice.identity_provider.provider_calls import GitHubApi, ProviderCalls, parsed
from authservice.services.people.memberships import Group, Memberships
from authservice.services.people.users import Profile
from authservice.settings import AuthSettings
from authservice.settings.admission.rules import Rule

_OK, _NOT_FOUND = 200, 404
_SIGN_IN_SECONDS = 10.0
_AT_ONCE = 8


class AppMemberships:
    """Asks in the name of the App."""

    scope = ""

    def __init__(self, named: NamedGroups, installations: Installations, pins: PinsOf) -> None:
        """``pins`` returns the numbers of the names in rules."""
        self.named = named
        self.installations = installations
        self.organizations = Organizations()
        self._pins = pins

    @classmethod
    def of(cls, settings: AuthSettings, pins: PinsOf) -> Self | None:
        """Return what asks in the name of the App of the settings; None where they have none."""
        provider = settings.provider
        if provider.app is None:
            return None
        installations = Installations(provider, provider.app, settings.outgoing)
        return cls(NamedGroups.of(settings), installations, pins)

    def memberships(self, api: GitHubApi, profile: Profile) -> Memberships:
        """Return the groups of a person who signs in; raises SignInFailedError for an outage."""
        calls = self.installations.calls(_SIGN_IN_SECONDS)
        own = own_memberships.own_list(api)
        # Somebody who may add people to teams could make the list so long that it is cut.
        whole = own if own is not None and own.is_whole else None
        return self.of_person(calls, profile.account_id, profile.username or "", own=whole)

    def username(self, calls: ProviderCalls, account_id: str, seen_in: str | None) -> str | None:
        """Return the login that an account has today, None if there is no such account any more.

        ``seen_in`` is the number of an organization that knows the account. Under the token of
        another one the provider may say that there is no such account: it hides those that an
        enterprise manages. Raises UnreadableError where nothing can be learned, and
        SignInFailedError in an outage.
        """
        installed = self.installations.all(calls)
        for place in sorted(installed, key=lambda each: each.organization.number != seen_in):
            token = None if place.refuses else self.installations.token(calls, place)
            if token is None:
                continue
            response = self.installations.api(calls, token).get(f"/user/{account_id}")
            content = parsed(response)
            if response.status_code == _NOT_FOUND and place.organization.number == seen_in:
                return None
            if response.status_code != _OK or not isinstance(content, dict):
                continue
            login = content.get("login")
            if account_number(content.get("id")) == account_id and isinstance(login, str):
                return login
        raise UnreadableError(NOT_INSTALLED)

    def of_person(
        self,
        calls: ProviderCalls,
        account_id: str,
        username: str,
        *,
        own: OwnList | None = None,
        about: Mapping[str, Collection[str]] | None = None,
    ) -> Memberships:
        """Return the groups of a person; raises SignInFailedError for an outage.

        ``own`` is the person's own list of all teams. Without it those of rules are asked for, and
        their parents known. ``about`` has the numbers of the organizations to ask, None for all,
        and of further teams to ask for in each.
        """
        organizations: list[Group] = []
        teams: list[Group] = []
        unreadable: list[tuple[str, str]] = []
        unasked: list[Group] = []
        for name, place in self.places(calls):
            if isinstance(place, str):
                unreadable.append((name, place))
                continue
            number = place.organization.number
            if about is not None and number not in about:
                unasked.append(Group(name, number))
                continue
            try:
                api = self.api(calls, place)
                if not has_member(api, place, account_id, username):
                    self.installations.require(calls, place)
                    continue
                organizations.append(place.organization)
                if own is not None and number not in own.held_back:
                    read = self._own_teams(api, name, place, own)
                else:
                    more = () if about is None else about[number]
                    read = self._asked_teams(api, name, place, username, more)
            except UnreadableError as error:
                unreadable.append((name, self.noted(error)))
                continue
            teams += read.teams
            unreadable += read.unreadable
            unasked += read.unasked
        return Memberships(
            tuple(dict.fromkeys(organizations)),
            tuple(dict.fromkeys(teams)),
            tuple(dict.fromkeys(unreadable)),
            tuple(dict.fromkeys(unasked)),
        )

    def _own_teams(
        self, api: GitHubApi, name: str, place: Installation, own: OwnList
    ) -> Memberships:
        """Return a person's teams in an organization, from their own list.

        The organization's list has parents of parents, and says whether a team of a rule is gone.
        It is read again only where what is known of it leaves one of both open.
        """
        here = [team for team in own.teams if team.organization == place.organization.number]
        for listed in (self.organizations.known_teams(place), None):
            teams = self.organizations.teams(api, place) if listed is None else listed
            tree = _Tree((*teams, *here))
            inside = tree.with_parents(team.group.number for team in here)
            if inside <= tree.groups.keys() and self._of_rules(name, teams) <= inside:
                return Memberships(teams=tuple(tree.groups[number] for number in inside))
        inside &= tree.groups.keys()
        return Memberships(
            teams=tuple(tree.groups[number] for number in inside),
            unreadable=tuple(self.missing_teams(name, teams)),
        )

    def _asked_teams(
        self,
        api: GitHubApi,
        name: str,
        place: Installation,
        username: str,
        more: Collection[str],
    ) -> Memberships:
        """Return the teams of rules, and ``more``, that a member of an organization is in.

        A member of a team is a member of its parents too. So somebody who is not in a team is in
        none of its child teams.
        """
        listed = self.organizations.teams(api, place)
        tree = _Tree(listed)
        asked = (self._of_rules(name, listed) | tree.with_parents(more)) & tree.groups.keys()
        groups = [tree.groups[number] for number in asked]
        with ThreadPoolExecutor(_AT_ONCE, "team-memberships") as asking:
            answers = asking.map(lambda team: team_has_member(api, team, username), groups)
            entered = {team.number for team, is_in in zip(groups, answers, strict=True) if is_in}
        inside = tree.with_parents(entered)
        denied = asked - inside
        unasked = [
            Group(f"{name}/{group.name.partition('/')[2]}", number)
            for number, group in tree.groups.items()
            if number not in inside and denied.isdisjoint(tree.with_parents([number]))
        ]
        return Memberships(
            teams=tuple(tree.groups[number] for number in inside & tree.groups.keys()),
            unreadable=tuple(self.missing_teams(name, listed)),
            unasked=tuple(unasked),
        )

    def places(self, calls: ProviderCalls) -> Iterator[tuple[str, Installation | str]]:
        """Yield where each organization of the settings is, or why nothing can be read there.

        It is the one with the pinned number, whatever its name, and the one that has the name.
        """
        pins = self._pins()
        try:
            installed = self.installations.all(calls)
        except UnreadableError as error:
            yield from ((name, error.reason) for name in self.named.organizations)
            return
        numbers = {place.organization.number: place for place in installed}
        names = {place.organization.name: place for place in installed}
        for name in self.named.organizations:
            pin = pins.get(f"org:{name}")
            own = names.get(name) if pin is None else numbers.get(pin.number)
            yield name, NOT_INSTALLED if own is None else own
            if name in names and names[name] != own:
                yield name, names[name]

    def number_of_team(self, calls: ProviderCalls, rule: Rule) -> str | None:
        """Return the number that a team has now, None if its organization has none of that name.

        Raises UnreadableError where the organization cannot be read.
        """
        organization, _, slug = rule.value.partition("/")
        return self.teams_of(calls, organization).get(slug)

    def teams_of(self, calls: ProviderCalls, organization: str) -> dict[str, str]:
        """Return the numbers of all teams of an organization, by the second part of their names.

        Raises UnreadableError where the organization cannot be read.
        """
        for name, place in self.places(calls):
            if name != organization:
                continue
            if isinstance(place, str):
                raise UnreadableError(place)
            teams = self.organizations.teams(self.api(calls, place), place)
            return {team.group.name.partition("/")[2]: team.group.number for team in teams}
        raise UnreadableError(NOT_INSTALLED)

    def api(self, calls: ProviderCalls, place: Installation) -> GitHubApi:
        """Return what asks in an organization; raises UnreadableError where nothing can."""
        if place.refuses is not None:
            raise UnreadableError(place.refuses)
        token = self.installations.token(calls, place)
        if token is None:
            self.installations.forget()
            raise UnreadableError(reasons.FORBIDDEN)
        return self.installations.api(calls, token)

    def noted(self, error: UnreadableError) -> str:
        """Return the reason; a token that is refused is not used again."""
        if error.reason == NOT_OUR_TOKEN:
            self.installations.forget()
        return error.reason

    def missing_teams(self, organization: str, listed: Iterable[Team]) -> list[tuple[str, str]]:
        """Return the teams of rules that the organization does not have any more, as unreadable.

        Those whom they admitted are not thrown out for that at once.
        """
        pins = self._pins()
        names = {team.group.name for team in listed}
        numbers = {team.group.number for team in listed}
        gone = []
        for name in self.named.teams:
            pin = pins.get(f"team:{name}")
            there = name in names if pin is None else pin.number in numbers
            if name.partition("/")[0] == organization and not there:
                gone.append((name, reasons.GONE))
        return gone

    def _of_rules(self, organization: str, listed: Iterable[Team]) -> set[str]:
        """Return the numbers of an organization's teams that rules name."""
        prefix = f"team:{organization}/"
        pins = self._pins()
        numbers = {pin.number for text, pin in pins.items() if text.startswith(prefix)}
        named = {f"{organization}/{team.group.name.partition('/')[2]}": team for team in listed}
        new = {name for name in self.named.teams if f"team:{name}" not in pins}
        return numbers | {named[name].group.number for name in new & named.keys()}


class _Tree:
    """Teams of one organization, each with its parent; of several with one number the last."""

    def __init__(self, teams: Iterable[Team]) -> None:
        self.groups: dict[str, Group] = {}
        self._parents: dict[str, str] = {}
        for team in teams:
            self.groups[team.group.number] = team.group
            self._parents.pop(team.group.number, None)
            if team.parent is not None:
                self._parents[team.group.number] = team.parent.number

    def with_parents(self, numbers: Iterable[str]) -> set[str]:
        """Return these, their parents, the parents of these, and so on."""
        found: set[str] = set()
        for number in numbers:
            above: str | None = number
            while above is not None and above not in found:
                found.add(above)
                above = self._parents.get(above)
        return found
