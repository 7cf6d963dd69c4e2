"""Rules that say who may sign in: their grammar, the same in settings and for clients.

An entry is ``org:acme``, ``team:acme/platform``, ``user:octocat``, ``id:583231`` or
``domain:example.com``. Letters of ASCII count in lower case, as the provider itself compares names.
"""

import re
import string
from dataclasses import dataclass
from enum import StrEnum

import idna

from authservice.settings.hosts import is_host_name, is_public_suffix
from authservice.settings.problems import RefusedError

_FOLDING = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
# Logins of people and organizations: those of managed users and of old accounts have _ and --.
_LOGIN = re.compile(r"[a-z0-9][a-z0-9_-]{0,99}")
_SLUG = re.compile(r"[a-z0-9_][a-z0-9_.-]{0,254}")
_NUMBER = re.compile(r"[1-9][0-9]{0,18}")


class RuleKind(StrEnum):
    """What a rule is about, in the word that its entry begins with."""

    ORGANIZATION = "org"
    TEAM = "team"
    USER = "user"
    ID = "id"
    DOMAIN = "domain"


_EXPECTED = {
    RuleKind.ORGANIZATION: "org:NAME, the organization's name in its address",
    RuleKind.TEAM: "team:ORGANIZATION/TEAM, both as in the team's address",
    RuleKind.USER: "user:LOGIN",
    RuleKind.ID: "id:NUMBER, the account's number at the provider",
    RuleKind.DOMAIN: "a domain such as example.com, below which not everyone can have a name",
}


class RuleError(RefusedError):
    """A text that is no rule; the message says what is expected."""


@dataclass(frozen=True, slots=True, order=True)
class Rule:
    """One rule: a person whom it fits is let in."""

    kind: RuleKind
    value: str

    def __str__(self) -> str:
        """Return the entry as it is written with its prefix."""
        return f"{self.kind}:{self.value}"

    @property
    def organization(self) -> str | None:
        """Return the name of the organization that it is about, of a team too."""
        if self.kind in {RuleKind.ORGANIZATION, RuleKind.TEAM}:
            return self.value.partition("/")[0]
        return None

    @property
    def names(self) -> bool:
        """Tell whether it has a name that another account could take, and not a number."""
        return self.kind in {RuleKind.ORGANIZATION, RuleKind.TEAM, RuleKind.USER}


def folded(text: str) -> str:
    """Return a name or an e-mail address with its letters of ASCII in lower case.

    Others stay: Unicode makes the Kelvin sign (U+212A) a k, and that is in another's address.
    """
    return text.translate(_FOLDING)


def parse(entry: str) -> Rule:
    """Return the rule of an entry with its prefix; raises RuleError."""
    prefix, separator, value = entry.partition(":")
    kinds = {kind.value: kind for kind in RuleKind}
    if not separator or prefix not in kinds:
        known = ", ".join(f"{kind}:" for kind in RuleKind)
        message = f"{entry!r} must begin with one of {known}"
        raise RuleError(message)
    return of_kind(kinds[prefix], value, entry)


def of_kind(kind: RuleKind, value: str, entry: str) -> Rule:
    """Return the rule of this kind; raises RuleError that shows the whole entry."""
    name = folded(value)
    if kind is RuleKind.DOMAIN:
        name = _a_labels(name)
    if not _IS[kind](name):
        message = f"{entry!r} must be {_EXPECTED[kind]}"
        raise RuleError(message)
    return Rule(kind, name)


def _a_labels(domain: str) -> str:
    """Return a domain as DNS has it, with its labels in ASCII; blank where it has no such form."""
    try:
        return idna.encode(domain, uts46=True).decode()
    except idna.IDNAError:
        return ""


def _is_team(value: str) -> bool:
    organization, separator, team = value.partition("/")
    return bool(separator and _LOGIN.fullmatch(organization) and _SLUG.fullmatch(team))


def _is_domain(value: str) -> bool:
    return is_host_name(value) and "." in value and not is_public_suffix(value)


_IS = {
    RuleKind.ORGANIZATION: lambda value: bool(_LOGIN.fullmatch(value)),
    RuleKind.TEAM: _is_team,
    RuleKind.USER: lambda value: bool(_LOGIN.fullmatch(value)),
    RuleKind.ID: lambda value: bool(_NUMBER.fullmatch(value)),
    RuleKind.DOMAIN: _is_domain,
}
