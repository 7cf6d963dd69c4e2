"""What an event of the provider is about: a person to ask about, or lists to read again.

Only the body of an event is signed, and not its name. So an event says what its own members say,
whatever it is called, and one that lacks some of them says nothing.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from authservice.identity_provider import github_groups
from authservice.identity_provider.github_profile import account_number

Content = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """What to do upon an event."""

    organization: str | None = None
    """The number of that which it comes from; None where it comes from a person."""
    account_id: str | None = None
    """The person to ask the provider about."""
    leaves: bool = False
    """The person is said to have left the organization, or the team."""
    team: str | None = None
    """The number of the team that the person came to or left."""
    is_child: bool = False
    """Whether that team has a parent, whose member the person was too."""
    revoked: bool = False
    """The person has withdrawn what the App was allowed in their name: it can read nothing more."""
    lists: bool = False
    """Organizations, teams or installations changed: the lists have to be read again."""

    @property
    def departs(self) -> bool:
        """Tell whether the person may have to go."""
        return self.leaves or self.revoked

    def of_a_repeat(self) -> "Hint":
        """Return what to do if it has been done: ask again, since a replay itself says nothing."""
        return replace(self, leaves=False, revoked=False)


def of_event(name: str, content: Content) -> Hint | None:
    """Return what an event is about; None where that is nothing for us."""
    read = _EVENTS.get(name)
    return None if read is None else read(content)


def of_stored(stored: Content) -> Hint | None:
    """Return what was stored of a hint; None for what a later version has stored."""
    return Hint(**stored) if stored.keys() <= Hint.__dataclass_fields__.keys() else None


def _organization(content: Content) -> Hint | None:
    match content.get("action"):
        case "member_removed" | "member_added" as action:
            membership = content.get("membership")
            person = membership.get("user") if isinstance(membership, dict) else None
            return _of_person(person, content, leaves=action == "member_removed")
        case "renamed" | "deleted":
            return _of_lists(_organization_of(content))
    return None


def _membership(content: Content) -> Hint | None:
    team = content.get("team")
    if content.get("action") not in {"added", "removed"} or not isinstance(team, dict):
        return None
    number = account_number(team.get("id"))
    if number is None:
        return None
    return _of_person(
        content.get("member"),
        content,
        leaves=content["action"] == "removed",
        team=number,
        is_child=isinstance(team.get("parent"), dict),
    )


def _team(content: Content) -> Hint | None:
    changes = content.get("action") in {"created", "deleted", "edited"}
    is_there = isinstance(content.get("team"), dict)
    return _of_lists(_organization_of(content)) if changes and is_there else None


def _org_block(content: Content) -> Hint | None:
    blocked = content.get("action") == "blocked"
    if not blocked and content.get("action") != "unblocked":
        return None
    return _of_person(content.get("blocked_user"), content, leaves=blocked)


def _authorization(content: Content) -> Hint | None:
    # No other event is as short: one of those must not be taken for this one.
    if content.get("action") != "revoked" or content.keys() & {"installation", "organization"}:
        return None
    account_id = _number(content.get("sender"))
    return None if account_id is None else Hint(account_id=account_id, revoked=True)


def _installation(content: Content) -> Hint | None:
    installed = content.get("installation")
    if not isinstance(installed, dict):
        return None
    return _of_lists(_number_of_organization(installed.get("account")))


def _of_lists(organization: str | None) -> Hint | None:
    return None if organization is None else Hint(organization=organization, lists=True)


def _of_person(
    person: object,
    content: Content,
    *,
    leaves: bool,
    team: str | None = None,
    is_child: bool = False,
) -> Hint | None:
    account_id, organization = _number(person), _organization_of(content)
    if account_id is None or organization is None:
        return None
    return Hint(
        organization=organization,
        account_id=account_id,
        leaves=leaves,
        team=team,
        is_child=is_child,
    )


def _organization_of(content: Content) -> str | None:
    return _number_of_organization(content.get("organization"))


def _number_of_organization(entry: object) -> str | None:
    group = github_groups.organization(entry)
    return None if group is None else group.number


def _number(person: object) -> str | None:
    return account_number(person.get("id")) if isinstance(person, dict) else None


_EVENTS: dict[str, Callable[[Content], Hint | None]] = {
    "organization": _organization,
    "membership": _membership,
    "team": _team,
    "org_block": _org_block,
    "github_app_authorization": _authorization,
    "installation": _installation,
}
