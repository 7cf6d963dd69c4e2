"""The groups of a person: which of them are stored, and which of those whom are told.

A group is an organization of the provider or one of its teams, as ``acme`` or ``acme/platform``.
"""

import logging
from collections.abc import Collection
from dataclasses import replace
from functools import lru_cache

from authservice.services.people.users import Profile, User
from authservice.settings import AuthSettings

_log = logging.getLogger(__name__)

SCOPE = "groups"
"""The scope with which a client asks for them, and the name of the claim."""
MOST = 200
"""How many of them applications are told at most."""


def can_be_had(settings: AuthSettings) -> bool:
    """Tell whether anyone can have groups: the settings name organizations, or in local mode."""
    return settings.local_mode or bool(settings.organizations)


def with_named_groups(profile: Profile, settings: AuthSettings) -> Profile:
    """Return a profile without the groups of organizations that the settings do not name.

    Nothing else of them is stored. In local mode, settings that name none keep them all.
    """
    if profile.memberships is None or all_count(settings):
        return profile
    named = profile.memberships.of(settings.organizations)
    return replace(profile, memberships=named)


def told_to_clients(user: User, settings: AuthSettings) -> tuple[str, ...] | None:
    """Return the groups that registered clients may learn of; None where they are not known."""
    if user.groups is None or all_count(settings):
        return _cut(user.groups)
    return _of(user.groups, settings.organizations)


def told_to_siblings(user: User, settings: AuthSettings) -> tuple[str, ...] | None:
    """Return the groups that first-party applications learn of; None where they are not known."""
    return None if user.groups is None else _of(user.groups, settings.groups_from)


def known(name: str, settings: AuthSettings) -> bool:
    """Tell whether the settings let us know who is in a group."""
    return all_count(settings) or name.partition("/")[0] in settings.organizations


def named(user: User, names: Collection[str], settings: AuthSettings) -> tuple[str, ...]:
    """Return those of a person's groups that are named, sorted: all of them, however many."""
    return tuple(each for each in user.groups or () if each in names and known(each, settings))


def note_cut(user: User) -> None:
    """Log that applications do not learn of all groups, if that is so."""
    if user.groups is not None and len(user.groups) > MOST:
        _log.warning(
            "user %s is in %d groups: applications are told of %d", user.id, len(user.groups), MOST
        )


def all_count(settings: AuthSettings) -> bool:
    """Tell whether groups of every organization count, since local mode names none."""
    return settings.local_mode and not settings.organizations


# A session check asks for the same few lists again and again.
@lru_cache(maxsize=1024)
def _of(groups: tuple[str, ...], organizations: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the groups of some organizations. Without any, nobody's groups are known."""
    if not organizations:
        return None
    return _cut(tuple(name for name in groups if name.partition("/")[0] in organizations))


def _cut(groups: tuple[str, ...] | None) -> tuple[str, ...] | None:
    return None if groups is None else groups[:MOST]
