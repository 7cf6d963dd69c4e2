"""From scope to claims: one table, used by ID token, userinfo and metadata."""

from collections.abc import Callable, Iterable, Mapping

from authservice.services.people import groups
from authservice.services.people.users import User
from authservice.settings import AuthSettings

Claim = str | bool | int | tuple[str, ...] | None


def _family_name(user: User) -> str | None:
    first, _, last = user.name.strip().rpartition(" ")
    return last if first else None


def _given_name(user: User) -> str | None:
    return user.name.strip().rpartition(" ")[0].strip() or None


def _email_verified(user: User, settings: AuthSettings) -> bool | None:
    return None if user.verified_email is None else user.trusted_email(settings) is not None


_BY_SCOPE: Mapping[str, Mapping[str, Callable[[User, AuthSettings], Claim]]] = {
    "profile": {
        "name": lambda user, _: user.name or None,
        "given_name": lambda user, _: _given_name(user),
        "family_name": lambda user, _: _family_name(user),
        "preferred_username": lambda user, _: user.username,
        "picture": lambda user, _: user.image,
        "updated_at": lambda user, _: int(user.updated_at.timestamp()),
    },
    "email": {
        "email": lambda user, _: user.verified_email,
        "email_verified": _email_verified,
    },
    groups.SCOPE: {groups.SCOPE: groups.told_to_clients},
}

NAMES = tuple(name for claims in _BY_SCOPE.values() for name in claims)
"""The claims that a person has or has not, besides ``sub``."""


def supported(settings: AuthSettings) -> tuple[str, ...]:
    """Return the claims about a person that there are under these settings."""
    there = groups.can_be_had(settings)
    return ("sub", *(name for name in NAMES if there or name != groups.SCOPE))


def known(names: Iterable[str]) -> tuple[str, ...]:
    """Return those of the names that are claims of ours."""
    return tuple(name for name in names if name in NAMES)


def scopes_of(names: Iterable[str]) -> tuple[str, ...]:
    """Return the scopes that hold these claims."""
    wanted = set(names)
    return tuple(scope for scope, claims in _BY_SCOPE.items() if wanted & set(claims))


def of_scopes(scopes: Iterable[str]) -> tuple[str, ...]:
    """Return the claims that belong to these scopes."""
    return tuple(name for scope in scopes for name in _BY_SCOPE.get(scope, ()))


def of_user(
    user: User, settings: AuthSettings, scopes: Iterable[str], names: Iterable[str] = ()
) -> dict[str, Claim]:
    """Return the claims that scopes allow (OIDC Core, 5.4) and those requested by name.

    What is not known of the user is left out.
    """
    granted, wanted = set(scopes), set(names)
    values = {
        name: read(user, settings)
        for scope, claims in _BY_SCOPE.items()
        for name, read in claims.items()
        if scope in granted or name in wanted
    }
    return {name: value for name, value in values.items() if value is not None}
