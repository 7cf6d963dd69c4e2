"""From what GitHub says of organizations and teams to groups; everything is checked first.

Names come out in lower case, as rules have them. An entry that is not as documented is left out.
"""

import re
from dataclasses import dataclass
from typing import Any

from authservice.httpclient import Response
from authservice.identity_provider import reasons
from authservice.identity_provider.github_profile import account_number
from authservice.identity_provider.provider_calls import parsed
from authservice.services.people.memberships import Group
from authservice.settings.admission import rules
from authservice.settings.admission.rules import RuleError, RuleKind

_ACTIVE = "active"
_SSO = "X-GitHub-SSO"
_PARTIAL = re.compile(r"partial-results; *organizations=([0-9, ]{1,2000})")
_NUMBER = re.compile(r"[0-9]{1,19}")


@dataclass(frozen=True, slots=True)
class Team:
    """A team, the number of its organization, and its parent where the answer names one."""

    group: Group
    organization: str
    parent: Group | None


def organization(entry: object) -> Group | None:
    """Return the organization that a value describes."""
    return _group(entry, RuleKind.ORGANIZATION, "login", "")


def active_organization(membership: object) -> Group | None:
    """Return the organization of a membership that is one: an invitation is none."""
    if not isinstance(membership, dict) or not is_active(membership):
        return None
    return organization(membership.get("organization"))


def is_active(membership: object) -> bool:
    """Tell whether a membership is more than an invitation."""
    return isinstance(membership, dict) and membership.get("state") == _ACTIVE


def team(entry: object) -> Team | None:
    """Return the team that a value describes."""
    if not isinstance(entry, dict):
        return None
    owner = organization(entry.get("organization"))
    if owner is None:
        return None
    group = _group(entry, RuleKind.TEAM, "slug", f"{owner.name}/")
    parent = _group(entry.get("parent"), RuleKind.TEAM, "slug", f"{owner.name}/")
    return None if group is None else Team(group, owner.number, parent)


def entries(response: Response) -> list[Any] | None:
    """Return the entries of a page of a list; None where it is none."""
    content = parsed(response)
    return content if isinstance(content, list) else None


def held_back(response: Response) -> list[str]:
    """Return the numbers of the organizations that single sign-on keeps out of a list."""
    matches = [_PARTIAL.fullmatch(value) for value in response.headers.get(_SSO, [])]
    return [number for each in matches if each for number in _NUMBER.findall(each[1])]


def why_refused(response: Response) -> str:
    """Return the reason of a 403."""
    if _SSO in response.headers:
        return reasons.SAML
    content = parsed(response)
    message = content.get("message") if isinstance(content, dict) else None
    return (
        reasons.RESTRICTED if "OAuth App access restrictions" in str(message) else reasons.FORBIDDEN
    )


def _group(entry: object, kind: RuleKind, name: str, prefix: str) -> Group | None:
    if not isinstance(entry, dict):
        return None
    number = account_number(entry.get("id"))
    text = entry.get(name)
    if number is None or not isinstance(text, str):
        return None
    try:
        return Group(rules.of_kind(kind, prefix + text, text).value, number)
    except RuleError:
        return None
