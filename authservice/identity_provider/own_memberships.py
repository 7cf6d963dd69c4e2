"""The groups of a person, read from GitHub under the person's own token, with scope ``read:org``.

By list first: it knows an organization or a team by its number, whatever its name is by now. Lists
leave out what the person or the organization does not let us see, and say so in part only. So what
a rule names and no list has is read by its name: that says why, or that the person is no member. It
says so also of an organization that is gone: then nothing is known.

A member of a team is one of its parent too. The list names teams that somebody was added to, each
with its parent, and not the parent of that: the rest of the chain is read one by one.
"""

import logging
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from urllib.parse import quote

from authservice.httpclient import Response
from authservice.identity_provider import github_groups, reasons
from authservice.identity_provider.github_groups import Team
from authservice.identity_provider.named_groups import NamedGroups, PinsOf
from authservice.identity_provider.provider_calls import (
    GitHubApi,
    MovedError,
    has_next,
    no_user_info,
    parsed,
)
from authservice.services.admission.decision import Pin
from authservice.services.people.memberships import Group, Memberships
from authservice.services.people.users import Profile

_log = logging.getLogger(__name__)

_OK = 200
_FORBIDDEN, _NOT_FOUND = 403, 404
# Of 100 each. Nobody is in more; what a rule names is read by its name anyway.
_LIST_PAGES = 10
_QUESTIONS = 30
# A sign-in must not take for ever, however many organizations the rules name.
_MOST_NAMES, _AT_ONCE = 20, 8


@dataclass(frozen=True, slots=True)
class OwnList:
    """The teams to which a person was added, each with its parent."""

    teams: tuple[Team, ...]
    held_back: frozenset[str]
    """The numbers of the organizations that single sign-on keeps out of the list."""
    is_whole: bool
    """Whether no further pages were left, so that they are in no other team."""


def own_list(api: GitHubApi) -> OwnList | None:
    """Return the list of the token's owner, None where that is refused.

    Raises SignInFailedError for an outage, and for an answer that is no list.
    """
    teams: list[Team] = []
    held_back: list[str] = []
    is_whole = False
    for response in api.pages("/user/teams", _LIST_PAGES):
        if response.status_code in {_FORBIDDEN, _NOT_FOUND}:
            return None
        entries = github_groups.entries(response) if response.status_code == _OK else None
        if entries is None:
            raise no_user_info("the list of teams is not a JSON array")
        held_back += github_groups.held_back(response)
        teams += filter(None, map(github_groups.team, entries))
        is_whole = not has_next(response)
    return OwnList(tuple(teams), frozenset(held_back), is_whole)


class OwnTeams:
    """Collects the teams of one person; ``unreadable`` has what could not be read meanwhile."""

    def __init__(
        self,
        api: GitHubApi,
        named: NamedGroups,
        pins: Mapping[str, Pin],
        organizations: Iterable[Group],
        username: str,
    ) -> None:
        self._api = api
        self._named = named
        self._pins = pins
        self._organizations = {group.number: group.name for group in organizations}
        self._username = username
        self._found: dict[str, Group] = {}
        self._questions = _QUESTIONS
        self.unreadable: list[tuple[str, str]] = []

    def all(self) -> tuple[Group, ...]:
        """Return the teams of organizations that the person is a member of, with their parents."""
        own = own_list(self._api)
        teams = () if own is None else own.teams
        of_these = [team for team in teams if team.organization in self._organizations]
        self._found = {team.group.number: team.group for team in of_these}
        for team in of_these:
            self._climb(team)
        for name in self._named.teams:
            pin = self._pins.get(f"team:{name}")
            if pin is not None and pin.number not in self._found:
                self._ask_for(name, pin.number)
        return tuple(self._found.values())

    def _climb(self, team: Team) -> None:
        """Add the parents of a team, up to one that is known, and so its parents too."""
        current: Team | None = team
        while current is not None and current.parent is not None:
            parent = current.parent
            if parent.number in self._found:
                break
            self._found[parent.number] = parent
            owner = parent.name.partition("/")[0]
            current = self._team(parent.name) if owner in self._named.organizations else None

    def _ask_for(self, name: str, number: str) -> None:
        """Add a team that a rule names, if the person is a member: of a child team, perhaps."""
        organization, _, slug = name.partition("/")
        pin = self._pins.get(f"org:{organization}")
        owner = organization if pin is None else self._organizations.get(pin.number)
        if owner is None:
            return
        team = self._team(f"{owner}/{slug}")
        if team is None or team.group.number != number:
            # A team that is secret is not shown to others than its members.
            self.unreadable.append((name, reasons.GONE))
            return
        response = self._get(owner, slug, f"/memberships/{quote(self._username, safe='')}")
        if response is not None and github_groups.is_active(parsed(response)):
            self._found[number] = team.group
            self._climb(team)

    def _team(self, name: str) -> Team | None:
        organization, _, slug = name.partition("/")
        response = self._get(organization, slug, "")
        team = None if response is None else github_groups.team(parsed(response))
        return team if team is not None and team.group.name == name else None

    def _get(self, organization: str, slug: str, further: str) -> Response | None:
        """Return the answer to a question about a team, if it is one; the others are noted."""
        if self._questions == 0:
            _log.warning("a person's teams take more than %d questions", _QUESTIONS)
            self.unreadable.append((f"{organization}/{slug}", reasons.UNREADABLE))
            return None
        self._questions -= 1
        path = f"/orgs/{quote(organization, safe='')}/teams/{quote(slug, safe='')}{further}"
        try:
            response = self._api.get(path)
        except MovedError:
            self.unreadable.append((organization, reasons.UNREADABLE))
            return None
        if response.status_code == _FORBIDDEN:
            self.unreadable.append((organization, github_groups.why_refused(response)))
        elif response.status_code not in {_OK, _NOT_FOUND}:
            self.unreadable.append((organization, reasons.UNREADABLE))
        return response if response.status_code == _OK else None


class OwnMemberships:
    """Asks in the name of the person who signs in."""

    scope = "read:org"

    def __init__(self, named: NamedGroups, pins: PinsOf) -> None:
        self._named = named
        self._pins = pins

    def memberships(self, api: GitHubApi, profile: Profile) -> Memberships:
        """Return all groups that lists have, and those that rules name.

        What one organization refuses to say is in ``unreadable``, and concerns no other. An
        organization that the list shows by its number alone stands there as ``id:`` and the number.
        """
        organizations, held_back = _listed(api)
        unreadable = [(f"id:{number}", reasons.SAML) for number in held_back]
        pins = self._pins()
        names = {group.name for group in organizations}
        known = {*held_back, *(group.number for group in organizations)}
        numbers = {name: _number(pins, name) for name in self._named.of_rules if name not in names}
        missing = [name for name, number in numbers.items() if number not in known]
        if len(missing) > _MOST_NAMES:
            _log.warning("of %d organizations, %d are asked for", len(missing), _MOST_NAMES)
            unreadable += [(name, reasons.UNREADABLE) for name in missing[_MOST_NAMES:]]
            del missing[_MOST_NAMES:]
        with ThreadPoolExecutor(_AT_ONCE, "own-memberships") as places:
            asked = places.map(partial(_organization, api, numbers), missing)
            for name, organization in zip(missing, asked, strict=True):
                if isinstance(organization, str):
                    unreadable.append((name, organization))
                elif organization is not None:
                    organizations.append(organization)
        teams = OwnTeams(api, self._named, pins, organizations, profile.username or "")
        found_teams = teams.all() if organizations else ()
        return Memberships(
            tuple(dict.fromkeys(organizations)),
            found_teams,
            tuple(dict.fromkeys((*unreadable, *teams.unreadable))),
        )


def _listed(api: GitHubApi) -> tuple[list[Group], list[str]]:
    """Return the organizations of the list, and the numbers of those that are held back."""
    listed: list[Group] = []
    held_back: list[str] = []
    for response in api.pages("/user/memberships/orgs", _LIST_PAGES, state="active"):
        if response.status_code in {_FORBIDDEN, _NOT_FOUND}:
            # Without the scope, or at a server without this list: by name then.
            break
        entries = github_groups.entries(response) if response.status_code == _OK else None
        if entries is None:
            raise no_user_info("the list of organizations is not a JSON array")
        held_back += github_groups.held_back(response)
        listed += filter(None, map(github_groups.active_organization, entries))
    return listed, held_back


def _number(pins: Mapping[str, Pin], name: str) -> str | None:
    pin = pins.get(f"org:{name}")
    return None if pin is None else pin.number


def _organization(
    api: GitHubApi, numbers: Mapping[str, str | None], name: str
) -> Group | str | None:
    """Return the organization, None if the person is no member, or why that cannot be read."""
    quoted = quote(name, safe="")
    try:
        membership = _membership(api.get(f"/user/memberships/orgs/{quoted}"), name)
        return membership or _why_unknown(api.get(f"/orgs/{quoted}"), numbers.get(name))
    except MovedError:
        return reasons.UNREADABLE


def _membership(response: Response, name: str) -> Group | str | None:
    if response.status_code == _NOT_FOUND:
        return None
    if response.status_code == _FORBIDDEN:
        return github_groups.why_refused(response)
    content = parsed(response)
    if response.status_code != _OK or not isinstance(content, dict):
        return reasons.UNREADABLE
    organization = github_groups.active_organization(content)
    if organization is None:
        return None if "state" in content else reasons.UNREADABLE
    return organization if organization.name == name else reasons.UNREADABLE


def _why_unknown(response: Response, number: str | None) -> str | None:
    """Return why nothing is known of members; None where an organization has its number still."""
    if response.status_code == _FORBIDDEN:
        return github_groups.why_refused(response)
    if response.status_code != _NOT_FOUND:
        found = github_groups.organization(parsed(response))
        if response.status_code != _OK or found is None:
            return reasons.UNREADABLE
        if found.number == number:
            return None
    return reasons.GONE
