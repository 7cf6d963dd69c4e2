"""From scope to claims: one table, used by ID token, userinfo and metadata."""

from collections.abc import Callable, Iterable, Mapping

from authservice.services.users import User

Claim = str | bool | int | None


def _family_name(user: User) -> str | None:
    first, _, last = user.name.strip().rpartition(" ")
    return last if first else None


def _given_name(user: User) -> str | None:
    return user.name.strip().rpartition(" ")[0].strip() or None


_BY_SCOPE: Mapping[str, Mapping[str, Callable[[User], Claim]]] = {
    "profile": {
        "name": lambda user: user.name or None,
        "given_name": _given_name,
        "family_name": _family_name,
        "picture": lambda user: user.image,
        "updated_at": lambda user: int(user.updated_at.timestamp()),
    },
    "email": {
        "email": lambda user: user.verified_email,
        "email_verified": lambda user: user.email_verified or None,
    },
}

SUPPORTED = ("sub", *(name for claims in _BY_SCOPE.values() for name in claims))


def known(names: Iterable[str]) -> tuple[str, ...]:
    """Return those of the names that are claims of ours."""
    ours = {name for claims in _BY_SCOPE.values() for name in claims}
    return tuple(name for name in names if name in ours)


def scopes_of(names: Iterable[str]) -> tuple[str, ...]:
    """Return the scopes that hold these claims."""
    wanted = set(names)
    return tuple(scope for scope, claims in _BY_SCOPE.items() if wanted & set(claims))


def of_scopes(scopes: Iterable[str]) -> tuple[str, ...]:
    """Return the claims that belong to these scopes."""
    return tuple(name for scope in scopes for name in _BY_SCOPE.get(scope, ()))


def of_user(user: User, scopes: Iterable[str], names: Iterable[str] = ()) -> dict[str, Claim]:
    """Return the claims that scopes allow (OIDC Core, 5.4) and those asked for by name.

    What is not known of the user is left out.
    """
    granted, wanted = set(scopes), set(names)
    found = {
        name: read(user)
        for scope, claims in _BY_SCOPE.items()
        for name, read in claims.items()
        if scope in granted or name in wanted
    }
    return {name: value for name, value in found.items() if value is not None}
