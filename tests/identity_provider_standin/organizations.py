"""The organizations of the stand-in, their teams, and who is in them."""

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Team:
    """A team; ``parent`` is the slug of another of the same organization."""

    slug: str
    id: int
    parent: str | None = None
    members: dict[str, str] = field(default_factory=dict)  # login: active or pending
    secret: bool = False  # it is shown to its members only


@dataclass
class Organization:
    """An organization; tests change its fields through the control addresses."""

    login: str
    id: int
    members: dict[str, str] = field(default_factory=dict)  # login: active or pending
    teams: dict[str, Team] = field(default_factory=dict)
    saml: bool = False  # a token without a session of its single sign-on sees nothing
    restricted: bool = False  # it allows no OAuth app that it did not approve
    public_members: tuple[str, ...] = ()  # logins, in lower case, shown to anyone
    hidden: bool = False  # it answers 404 to every question about it, and is in no list
    installation: int | None = None  # the number of the App's installation
    suspended: bool = False  # that is suspended

    def team(self, slug: str, content: dict[str, Any]) -> None:
        """Add a team or change its fields; a new ``slug`` renames it."""
        team = self.teams.setdefault(slug, Team(slug, self.id * 100 + len(self.teams)))
        for key, value in content.items():
            setattr(team, key, value)
        if team.slug != slug:
            del self.teams[slug]
            self.teams[team.slug] = team

    def state_in_team(self, slug: str, login: str) -> str | None:
        """Return active, pending, or None; members of child teams are members."""
        states = {self.teams[slug].members.get(login)}
        children = (child for child in self.teams.values() if child.parent == slug)
        states |= {self.state_in_team(child.slug, login) for child in children}
        return next((state for state in ("active", "pending") if state in states), None)

    def simple(self, base: str) -> dict[str, Any]:
        """Return it as the API describes an organization inside other answers."""
        return {
            "login": self.login,
            "id": self.id,
            "node_id": "MDEyOk9yZ2FuaXphdGlvbjE=",
            "url": f"{base}/orgs/{self.login}",
            "members_url": f"{base}/orgs/{self.login}/members{{/member}}",
            "description": None,
        }

    def membership(self, base: str, login: str) -> dict[str, Any]:
        """Return the membership of an account."""
        return {
            "url": f"{base}/orgs/{self.login}/memberships/{login}",
            "state": self.members[login],
            "role": "member",
            "organization_url": f"{base}/orgs/{self.login}",
            "organization": self.simple(base),
            "user": {"login": login},
        }

    def team_simple(self, base: str, slug: str) -> dict[str, Any]:
        """Return a team as the API describes one inside other answers, without its own parent."""
        team = self.teams[slug]
        return {
            "id": team.id,
            "node_id": "MDQ6VGVhbTE=",
            "url": f"{base}/organizations/{self.id}/team/{team.id}",
            "name": team.slug.replace("-", " ").title(),
            "slug": team.slug,
            "description": None,
            "privacy": "secret" if team.secret else "closed",
            "permission": "pull",
        }

    def team_full(self, base: str, slug: str) -> dict[str, Any]:
        """Return a team as the API describes it where one asks for it."""
        parent = self.teams[slug].parent
        return self.team_simple(base, slug) | {
            "parent": None if parent is None else self.team_simple(base, parent),
            "organization": self.simple(base),
        }
