"""The teams of a person, read from GitHub under the person's own token.

A member of a team is one of its parent too. The list names teams that somebody was added to, each
with its parent, and not the parent of that: the rest of the chain is read one by one.
"""

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import quote

from authservice.httpclient import Response
from authservice.identity_provider import github_groups, reasons
from authservice.identity_provider.github_api import GitHubApi, has_next
from authservice.identity_provider.github_groups import Team
from authservice.identity_provider.named_groups import NamedGroups
from authservice.identity_provider.provider_calls import MovedError, no_user_info, parsed
from authservice.services.admission.decision import Pin
from authservice.services.people.memberships import Group

_log = logging.getLogger(__name__)

_OK = 200
_FORBIDDEN, _NOT_FOUND = 403, 404
_LIST_PAGES = 10
_QUESTIONS = 30


@dataclass(frozen=True, slots=True)
class OwnList:
    """The teams to which a person was added, each with its parent."""

    teams: tuple[Team, ...]
    held_back: frozenset[str]
    """The numbers of the organizations that single sign-on keeps out of the list."""
    is_whole: bool
    """Whether no further pages were left, so that they are in no other team."""


def listed(api: GitHubApi) -> OwnList | None:
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
        own = listed(self._api)
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
