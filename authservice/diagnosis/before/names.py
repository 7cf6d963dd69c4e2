"""Whose the names in rules are today, as far as the identity provider shows it."""

from collections.abc import Mapping
from dataclasses import dataclass

from authservice.identity_provider.github_app.app_memberships import AppMemberships
from authservice.identity_provider.github_app.known_pages import UnreadableError
from authservice.identity_provider.public_api import PublicApi
from authservice.services.admission.decision import Pin
from authservice.settings import AuthSettings
from authservice.settings.admission.rules import Rule, RuleKind

# For all names together, and for one question.
_SECONDS, _CALL_SECONDS = 20.0, 5.0


@dataclass(frozen=True, slots=True)
class Today:
    """The number that a name has, and where that is none, the new name of the pinned number."""

    number: str | None
    new_name: str | None = None


class ProviderNames:
    """Asks about one name after the other, for some seconds in all."""

    def __init__(self, settings: AuthSettings, pinned: Mapping[str, Pin]) -> None:
        """``pinned`` has the numbers of names by the text of their rule."""
        self._pinned = pinned
        self._public = PublicApi(settings, _SECONDS, call=_CALL_SECONDS)
        self._app = AppMemberships.of(settings, lambda: pinned)
        self._calls = None if self._app is None else self._app.installations.calls(_SECONDS)

    def today(self, rule: Rule) -> Today | None:
        """Return whose a name is; None where the provider does not show that.

        Raises SignInFailedError where it does not answer.
        """
        pin = self._pinned.get(str(rule))
        if rule.kind is RuleKind.TEAM:
            return self._team(rule, pin)
        if rule.kind is RuleKind.USER and "_" in rule.value:
            # An account that an enterprise manages: only members of the enterprise see it.
            return None
        number = self._public.number_of(rule)
        if number is not None or pin is None:
            return Today(number)
        return Today(None, self._public.name_of(rule.kind, pin.number))

    def _team(self, rule: Rule, pin: Pin | None) -> Today | None:
        if self._app is None or self._calls is None:
            return None
        organization, _, slug = rule.value.partition("/")
        try:
            numbers = self._app.teams_of(self._calls, organization)
        except UnreadableError:
            return None
        slugs = {number: slug for slug, number in numbers.items()}
        new = None if pin is None else slugs.get(pin.number)
        return Today(numbers.get(slug), None if new is None else f"{organization}/{new}")
