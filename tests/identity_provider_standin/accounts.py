"""The accounts that people have at the stand-in, and what its API says of them."""

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Account:
    """An account; tests change its fields through the control addresses."""

    login: str
    id: Any
    name: str | None
    email: str | None  # the one on the public profile
    emails: list[dict[str, Any]] = field(default_factory=list)
    avatar_url: str | None = None
    suspended_at: str | None = None  # what an Enterprise Server says
    blocked: bool = False  # the API refuses the account's tokens
    managed_by: str | None = None  # the login of the organization that alone is shown it

    def public(self, base: str) -> dict[str, Any]:
        """Return the answer of ``/user``."""
        user = f"{base}/users/{self.login}"
        return {
            "login": self.login,
            "id": self.id,
            "node_id": "MDQ6VXNlcjE=",
            "avatar_url": self.avatar_url,
            "gravatar_id": "",
            "url": user,
            "html_url": f"https://github.com/{self.login}",
            "followers_url": f"{user}/followers",
            "following_url": f"{user}/following{{/other_user}}",
            "organizations_url": f"{user}/orgs",
            "repos_url": f"{user}/repos",
            "type": "User",
            "site_admin": False,
            "name": self.name,
            "company": None,
            "blog": "",
            "location": None,
            "email": self.email,
            "hireable": None,
            "bio": None,
            "twitter_username": None,
            "public_repos": 2,
            "public_gists": 0,
            "followers": 20,
            "following": 0,
            "created_at": "2008-01-14T04:33:35Z",
            "updated_at": "2026-01-14T04:33:35Z",
            "suspended_at": self.suspended_at,
        }


def first_accounts() -> dict[str, Account]:
    """Return the accounts of a fresh stand-in, by login."""
    accounts = [
        Account(
            login="octocat",
            id=583231,
            name="Mona Lisa",
            email=None,
            emails=[
                address("mona@example.com", primary=True),
                address("583231+octocat@users.noreply.github.com"),
            ],
            avatar_url="https://avatars.githubusercontent.com/u/583231?v=4",
        ),
        Account(
            login="hubot",
            id=480938,
            name=None,
            email="hubot@example.com",
            emails=[address("hubot@example.com", primary=True)],
            avatar_url="https://avatars.githubusercontent.com/u/480938?v=4",
        ),
        Account(
            login="newcomer",
            id=900001,
            name="New Comer",
            email=None,
            emails=[address("newcomer@example.com", primary=True, verified=False)],
            avatar_url="https://avatars.githubusercontent.com/u/900001?v=4",
        ),
    ]
    return {account.login: account for account in accounts}


def address(email: str, *, primary: bool = False, verified: bool = True) -> dict[str, Any]:
    """Return an entry of ``/user/emails``."""
    visibility = "private" if primary else None
    return {"email": email, "primary": primary, "verified": verified, "visibility": visibility}
