"""The groups of a person, read from GitHub under the person's own token, with scope ``read:org``.

By list first: it knows an organization or a team by its number, whatever its name is by now. Lists
leave out what the person or the organization does not let us see, and say so in part only. So what
a rule names and no list has is read by its name: that says why, or that the person is no member.
"""

import logging
from urllib.parse import quote

from authservice.httpclient import Response
from authservice.identity_provider import github_groups, reasons
from authservice.identity_provider.github_api import GitHubApi
from authservice.identity_provider.named_groups import NamedGroups
from authservice.identity_provider.own_teams import OwnTeams
from authservice.identity_provider.provider_calls import MovedError, no_user_info, parsed
from authservice.services.admission.facts import Group, Memberships
from authservice.services.people.users import Profile

_log = logging.getLogger(__name__)

_OK = 200
_FORBIDDEN, _NOT_FOUND = 403, 404
# Of 100 each. Nobody is in more; what a rule names is read by its name anyway.
LIST_PAGES = 10
# A sign-in must not take for ever, however many organizations the rules name.
_QUESTIONS = 20


class OwnMemberships:
    """Asks in the name of the person who signs in."""

    scope = "read:org"

    def __init__(self, named: NamedGroups) -> None:
        self._named = named

    def memberships(self, api: GitHubApi, profile: Profile) -> Memberships:
        """Return all groups that lists have, and those that rules name.

        What one organization refuses to say is in ``unreadable``, and concerns no other. There, one
        of which the list has no more than the number stands as ``id:`` and that.
        """
        organizations, unreadable = _listed(api)
        names = {group.name for group in organizations}
        missing = [name for name in self._named.of_rules if name not in names]
        if len(missing) > _QUESTIONS:
            _log.warning("of %d organizations, %d are asked for", len(missing), _QUESTIONS)
            unreadable += [(name, reasons.UNREADABLE) for name in missing[_QUESTIONS:]]
        for name in missing[:_QUESTIONS]:
            organization = _organization(api, name)
            if isinstance(organization, str):
                unreadable.append((name, organization))
            elif organization is not None:
                organizations.append(organization)
        teams = OwnTeams(api, self._named, organizations, profile.username or "")
        found_teams = teams.all() if organizations else ()
        return Memberships(
            tuple(dict.fromkeys(organizations)),
            found_teams,
            tuple(dict.fromkeys((*unreadable, *teams.unreadable))),
        )


def _listed(api: GitHubApi) -> tuple[list[Group], list[tuple[str, str]]]:
    listed: list[Group] = []
    held_back: list[str] = []
    for response in api.pages("/user/memberships/orgs", LIST_PAGES, state="active"):
        if response.status_code in {_FORBIDDEN, _NOT_FOUND}:
            # Without the scope, or at a server without this list: by name then.
            break
        entries = github_groups.entries(response) if response.status_code == _OK else None
        if entries is None:
            raise no_user_info("the list of organizations is not a JSON array")
        held_back += github_groups.held_back(response)
        listed += filter(None, map(github_groups.active_organization, entries))
    return listed, [(f"id:{number}", reasons.SAML) for number in held_back]


def _organization(api: GitHubApi, name: str) -> Group | str | None:
    """Return the organization, None if the person is no member, or why that cannot be read."""
    try:
        response = api.get(f"/user/memberships/orgs/{quote(name, safe='')}")
    except MovedError:
        return reasons.UNREADABLE
    return _membership(response, name)


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
