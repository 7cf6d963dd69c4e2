"""Scopes in words that a person understands, with the very data that would be shared."""

from collections.abc import Iterable
from dataclasses import dataclass

from authservice.services.users import User


@dataclass(frozen=True, slots=True)
class ScopeText:
    """One line of the consent page."""

    name: str
    title: str
    detail: str
    value: str | None


def scope_texts(scopes: Iterable[str], user: User) -> list[ScopeText]:
    """Return what the consent page says of each scope, in the order asked for."""
    texts = {
        "openid": ("Know who you are", "The identifier of your account here", None),
        "profile": ("See your profile", "Your name and your picture", user.name),
        "email": ("See your email address", "The address of your account", user.email),
        "offline_access": (
            "Stay connected",
            "Keep this access while you are away, until you take it back",
            None,
        ),
    }
    return [ScopeText(scope, *texts[scope]) for scope in scopes]
