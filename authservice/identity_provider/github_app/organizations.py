"""What the App reads in one organization: who is in it, and in which of its teams."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from urllib.parse import quote

from authservice import clock
from authservice.httpclient import Response
from authservice.identity_provider import github_groups, reasons
from authservice.identity_provider.github_app.installations import Installation
from authservice.identity_provider.github_app.known_pages import (
    NOT_OUR_TOKEN,
    KnownPages,
    UnreadableError,
)
from authservice.identity_provider.github_groups import Team
from authservice.identity_provider.github_profile import account_number
from authservice.identity_provider.provider_calls import GitHubApi, MovedError, parsed
from authservice.services.people.memberships import Group

_OK, _UNAUTHORIZED, _FORBIDDEN, _NOT_FOUND = 200, 401, 403, 404
_NEVER = datetime.fromtimestamp(0, UTC)
# How long a team may have another parent, where no event says so.
_LIST_COUNTS_FOR = timedelta(minutes=5)


def _nothing() -> None:
    pass


class Organizations:
    """Reads lists of members and teams, and keeps what they said; several threads may."""

    def __init__(self) -> None:
        self._pages = KnownPages()
        self._teams: dict[str, tuple[datetime, tuple[Team, ...]]] = {}

    def members(self, api: GitHubApi, place: Installation, before: Callable[[], None]) -> set[str]:
        """Return the numbers of all members; raises UnreadableError."""
        path = f"/orgs/{_quoted(place.organization.name)}/members"
        return set(self._pages.list(api, path, _number, before))

    def teams(
        self, api: GitHubApi, place: Installation, before: Callable[[], None] = _nothing
    ) -> tuple[Team, ...]:
        """Return all teams; raises UnreadableError."""
        owner = place.organization
        path = f"/orgs/{_quoted(owner.name)}/teams"
        teams = self._pages.list(api, path, partial(_team, owner), before)
        self._teams[owner.number] = (clock.now(), teams)
        return teams

    def known_teams(self, place: Installation) -> tuple[Team, ...]:
        """Return the teams as they were listed within the last minutes; none if they were not."""
        read_at, teams = self._teams.get(place.organization.number, (_NEVER, ()))
        return teams if clock.now() - read_at < _LIST_COUNTS_FOR else ()

    def team_members(self, api: GitHubApi, team: Group, before: Callable[[], None]) -> set[str]:
        """Return the numbers of members, those of child teams too; raises UnreadableError."""
        return set(self._pages.list(api, f"{_path(team)}/members", _number, before))


def has_member(api: GitHubApi, place: Installation, account_id: str, username: str) -> bool:
    """Tell whether a person is an active member; raises UnreadableError."""
    path = f"/orgs/{_quoted(place.organization.name)}/memberships/{_quoted(username)}"
    membership = _membership(_read(api, path))
    if membership is None:
        return False
    organization = github_groups.organization(membership.get("organization"))
    if organization is None or organization.number != place.organization.number:
        # Another one has taken the name since the App's installations were listed.
        raise UnreadableError(reasons.GONE)
    person = membership.get("user")
    # A login may be another person's by now.
    same = isinstance(person, dict) and account_number(person.get("id")) == account_id
    return same and github_groups.is_active(membership)


def team_has_member(api: GitHubApi, team: Group, username: str) -> bool:
    """Tell whether a member of the organization is one of a team; raises UnreadableError."""
    membership = _membership(_read(api, f"{_path(team)}/memberships/{_quoted(username)}"))
    return membership is not None and github_groups.is_active(membership)


def _read(api: GitHubApi, path: str) -> Response:
    try:
        return api.get(path)
    except MovedError:
        raise UnreadableError(reasons.UNREADABLE) from None


def _membership(response: Response) -> dict[str, object] | None:
    if response.status_code == _NOT_FOUND:
        return None
    content = parsed(response)
    if response.status_code == _OK and isinstance(content, dict) and "state" in content:
        return content
    if response.status_code == _UNAUTHORIZED:
        raise UnreadableError(NOT_OUR_TOKEN)
    refused = response.status_code == _FORBIDDEN
    raise UnreadableError(github_groups.why_refused(response) if refused else reasons.UNREADABLE)


def _number(entry: object) -> str | None:
    return account_number(entry.get("id")) if isinstance(entry, dict) else None


def _team(owner: Group, entry: object) -> Team | None:
    """Return a team of a list, where the organization is not repeated."""
    if not isinstance(entry, dict):
        return None
    organization = {"login": owner.name, "id": int(owner.number)}
    return github_groups.team(entry | {"organization": organization})


def _path(team: Group) -> str:
    organization, _, slug = team.name.partition("/")
    return f"/orgs/{_quoted(organization)}/teams/{_quoted(slug)}"


def _quoted(text: str) -> str:
    return quote(text, safe="")
