"""The groups of a person, read from GitHub under the person's own token, with scope ``read:org``.

By list first: it knows an organization or a team by its number, whatever its name is by now. Lists
leave out what the person or the organization does not let us see, and say so in part only. So what
a rule names and no list has is read by its name: that says why, or that the person is no member. It
says so also of an organization that is gone: then nothing is known.
"""

import logging
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from urllib.parse import quote

from authservice.httpclient import Response
from authservice.identity_provider import github_groups, reasons
from authservice.identity_provider.github_api import GitHubApi
from authservice.identity_provider.named_groups import NamedGroups, PinsOf
from authservice.identity_provider.own_teams import OwnTeams
from authservice.identity_provider.provider_calls import MovedError, no_user_info, parsed
from authservice.services.admission.decision import Pin
from authservice.services.people.memberships import Group, Memberships
from authservice.services.people.users import Profile

_log = logging.getLogger(__name__)

_OK = 200
_FORBIDDEN, _NOT_FOUND = 403, 404
# Of 100 each. Nobody is in more; what a rule names is read by its name anyway.
LIST_PAGES = 10
# A sign-in must not take for ever, however many organizations the rules name.
_MOST_NAMES, _AT_ONCE = 20, 8


class OwnMemberships:
    """Asks in the name of the person who signs in."""

    scope = "read:org"

    def __init__(self, named: NamedGroups, pins: PinsOf) -> None:
        self._named = named
        self._pins = pins

    def memberships(self, api: GitHubApi, profile: Profile) -> Memberships:
        """Return all groups that lists have, and those that rules name.

        What one organization refuses to say is in ``unreadable``, and concerns no other. There, one
        of which the list has no more than the number stands as ``id:`` and that.
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
    for response in api.pages("/user/memberships/orgs", LIST_PAGES, state="active"):
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
