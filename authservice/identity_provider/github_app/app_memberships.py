"""The groups of one person, as the App sees them: at a sign-in, and when an event is about them.

It asks for the same memberships whose lists the poll reads. Of teams it begins with those that have
no parent: who is in none of these is in none of their child teams.
"""

import logging
from collections.abc import Container, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Self

from authservice.identity_provider import reasons
from authservice.identity_provider.github_api import GitHubApi
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
from authservice.identity_provider.provider_calls import ProviderCalls, parsed
from authservice.services.admission.facts import Group, Memberships
from authservice.services.people.users import Profile
from authservice.settings import AuthSettings
from authservice.settings.admission.rules import Rule

_log = logging.getLogger(__name__)

_OK, _NOT_FOUND = 200, 404
_SIGN_IN_SECONDS = 10.0
# So many teams of one organization a sign-in asks for, unless rules name more, and so many at once.
_MOST_TEAMS, _AT_ONCE = 200, 8


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

    def memberships(self, api: GitHubApi, profile: Profile) -> Memberships:  # noqa: ARG002  (the person's)
        """Return the groups of a person who signs in; raises SignInFailedError for an outage."""
        calls = self.installations.calls(_SIGN_IN_SECONDS)
        return self.of_person(calls, profile.account_id, profile.username or "")

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

    def of_person(self, calls: ProviderCalls, account_id: str, username: str) -> Memberships:
        """Return the groups of a person; raises SignInFailedError for an outage."""
        organizations: list[Group] = []
        teams: list[Group] = []
        unreadable: list[tuple[str, str]] = []
        for name, place in self.places(calls):
            if isinstance(place, str):
                unreadable.append((name, place))
                continue
            try:
                api = self.api(calls, place)
                if not has_member(api, place, account_id, username):
                    self.installations.require(calls, place)
                    continue
                organizations.append(place.organization)
                listed = self.organizations.teams(api, place)
                unreadable += self.missing_teams(name, listed)
                teams += _teams_of(api, listed, self._wanted(listed), username)
            except UnreadableError as error:
                unreadable.append((name, self.noted(error)))
        return Memberships(
            tuple(dict.fromkeys(organizations)),
            tuple(dict.fromkeys(teams)),
            tuple(dict.fromkeys(unreadable)),
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

    def _wanted(self, teams: Iterable[Team]) -> set[str]:
        """Return the numbers of the teams that rules name, and of all their parents."""
        pinned = {pin.number for text, pin in self._pins().items() if text.startswith("team:")}
        named = {team.group.number for team in teams if team.group.name in self.named.teams}
        parents = {team.group.number: team.parent.number for team in teams if team.parent}
        wanted = set()
        for number in pinned | named:
            above: str | None = number
            while above is not None and above not in wanted:
                wanted.add(above)
                above = parents.get(above)
        return wanted


def _teams_of(
    api: GitHubApi, teams: Sequence[Team], wanted: Container[str], username: str
) -> list[Group]:
    """Return the teams that a member of the organization is in: the wanted ones first.

    A child team is asked about where the person is in its parent.
    """
    numbers = {team.group.number for team in teams}
    waiting = [team for team in teams if team.parent is None or team.parent.number not in numbers]
    groups: list[Group] = []
    left = _MOST_TEAMS
    with ThreadPoolExecutor(_AT_ONCE, "team-memberships") as places:
        while batch := [each for each in waiting if each.group.number in wanted] or waiting[:left]:
            left = max(left - len(batch), 0)
            answers = places.map(lambda team: team_has_member(api, team.group, username), batch)
            inside = [team.group for team, is_in in zip(batch, answers, strict=True) if is_in]
            groups += inside
            entered = {group.number for group in inside}
            done = {*batch}
            waiting = [team for team in waiting if team not in done]
            waiting += [team for team in teams if team.parent and team.parent.number in entered]
    if waiting:
        _log.warning("an organization has more than %d teams to ask for", _MOST_TEAMS)
    return groups
