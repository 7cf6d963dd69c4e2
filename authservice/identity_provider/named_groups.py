"""Which organizations and teams have to be known of a person, and where that is learned."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, Self

from authservice.identity_provider.provider_calls import GitHubApi
from authservice.services.admission.decision import Pin
from authservice.services.people.memberships import Memberships
from authservice.services.people.users import Profile
from authservice.settings import AuthSettings
from authservice.settings.admission.rules import RuleKind

PinsOf = Callable[[], Mapping[str, Pin]]
"""Returns the numbers of the names in settings, by the text of their rule."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedGroups:
    """The names of organizations, and of teams as ``organization/team``, that settings mention."""

    organizations: tuple[str, ...]
    of_rules: tuple[str, ...]
    """Those of the organizations that decide who may sign in, and not only claims."""
    teams: tuple[str, ...]

    @classmethod
    def of(cls, settings: AuthSettings) -> Self:
        """Return what rules and claims need."""
        of_rules = settings.admission.organizations
        return cls(
            organizations=tuple(dict.fromkeys((*of_rules, *settings.groups_from))),
            of_rules=of_rules,
            teams=tuple(
                rule.value for rule in settings.admission.rules if rule.kind is RuleKind.TEAM
            ),
        )

    def __bool__(self) -> bool:
        """Tell whether settings name any."""
        return bool(self.organizations)


class MembershipSource(Protocol):
    """Whom to ask for the groups of a person who signs in."""

    scope: str
    """What a person has to allow for it; blank where that is nothing."""

    def memberships(self, api: GitHubApi, profile: Profile) -> Memberships:
        """Return the groups; raises SignInFailedError for an outage.

        ``api`` asks under the token of the person.
        """
        ...
