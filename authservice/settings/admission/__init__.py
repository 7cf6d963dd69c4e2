"""The settings of admission: who may sign in, and whose groups applications learn of."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from authservice.settings import parsing
from authservice.settings.admission import rules as grammar
from authservice.settings.admission.rules import Rule, RuleError, RuleKind
from authservice.settings.sources import Source

_ORGANIZATIONS = "admission.organizations"
_USERS = "admission.users"
_DOMAINS = "admission.email_domains"
_EVERYONE = "admission.everyone"
_RECHECK = "admission.recheck"
_OUTAGE_GRACE = "admission.outage_grace"
_GROUPS_FROM = "claims.groups_from"
# A rule must not admit longer than this without a question, nor through an outage.
_LONGEST = 30 * 24 * 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmissionSettings:
    """Who may sign in, and how long what an organization decided counts."""

    rules: tuple[Rule, ...]
    """In any order: one that fits is enough. Empty where everyone may."""
    everyone: bool
    recheck: timedelta
    outage_grace: timedelta

    @property
    def organizations(self) -> tuple[str, ...]:
        """Return the names of the organizations that the rules are about."""
        return tuple(dict.fromkeys(rule.organization for rule in self.rules if rule.organization))


def admission(source: Source, *, local_mode: bool) -> AdmissionSettings:
    """Return who may sign in; production has to say so, local mode lets everyone in."""
    rules = tuple(dict.fromkeys(_rules(source)))
    everyone = parsing.choice(source, _EVERYONE, ("true", "false"), "false") == "true"
    if everyone and rules:
        source.refuse(
            source.name(_EVERYONE), "lets everyone in; remove it, or all other rules of admission"
        )
    named = (_ORGANIZATIONS, _USERS, _DOMAINS)
    # A rule that cannot be read is a problem of its own.
    if not (local_mode or everyone or any(source.text(key) for key in named)):
        names = ", ".join(source.name(key) for key in (*named, _EVERYONE))
        source.refuse(
            "admission",
            f"say who may sign in: set at least one of {names}; {_EVERYONE} = true lets everyone"
            " in who has an account at the provider",
        )
    return AdmissionSettings(
        rules=rules,
        everyone=everyone or (local_mode and not rules),
        recheck=_seconds(source, _RECHECK, 60),
        outage_grace=_seconds(source, _OUTAGE_GRACE, 0),
    )


def groups_from(source: Source) -> tuple[str, ...]:
    """Return the organizations whose groups first-party applications and claims may have."""
    names = []
    for entry in _entries(source, _GROUPS_FROM):
        try:
            rule = grammar.of_kind(RuleKind.ORGANIZATION, entry.removeprefix("org:"), entry)
        except RuleError as error:
            source.refuse(source.name(_GROUPS_FROM), str(error))
        else:
            names.append(rule.value)
    return tuple(dict.fromkeys(names))


def _rules(source: Source) -> Iterator[Rule]:
    for key, kinds, bare in (
        (_ORGANIZATIONS, (RuleKind.ORGANIZATION, RuleKind.TEAM), _organization_or_team),
        (_USERS, (RuleKind.USER, RuleKind.ID), grammar.parse),
        (_DOMAINS, (RuleKind.DOMAIN,), _domain),
    ):
        for entry in _entries(source, key):
            try:
                rule = bare(entry) if ":" not in entry else grammar.parse(entry)
            except RuleError as error:
                source.refuse(source.name(key), str(error))
                continue
            if rule.kind in kinds:
                yield rule
            else:
                expected = " or ".join(f"{kind}:" for kind in kinds)
                source.refuse(source.name(key), f"{entry!r} must begin with {expected}")


def _organization_or_team(entry: str) -> Rule:
    kind = RuleKind.TEAM if "/" in entry else RuleKind.ORGANIZATION
    return grammar.of_kind(kind, entry, entry)


def _domain(entry: str) -> Rule:
    return grammar.of_kind(RuleKind.DOMAIN, entry, entry)


def _entries(source: Source, key: str) -> list[str]:
    return source.text(key).replace(",", " ").split()


def _seconds(source: Source, key: str, at_least: int) -> timedelta:
    number = parsing.whole_number(
        source, key, 86400, at_least=at_least, at_most=_LONGEST, unit=" of seconds"
    )
    return timedelta(seconds=number)
