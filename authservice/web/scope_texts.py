"""Scopes and resources in words that a person understands, with the very data to be shared."""

from collections.abc import Iterable
from dataclasses import dataclass

from authservice.services.users import User
from authservice.settings import AuthSettings
from authservice.web.texts import _


@dataclass(frozen=True, slots=True)
class ScopeText:
    """One line of the consent page."""

    name: str
    title: str
    detail: str
    value: str | None
    advice: str | None = None


@dataclass(frozen=True, slots=True)
class ResourceText:
    """A resource on a page: what it is called, and its URI where that is something else."""

    name: str
    uri: str | None


def resource_texts(resources: Iterable[str], settings: AuthSettings) -> list[ResourceText]:
    """Return what pages say of each resource, in the order asked for."""
    names = {resource: settings.resource_name(resource) for resource in resources}
    return [ResourceText(name, None if name == uri else uri) for uri, name in names.items()]


def scope_texts(
    scopes: Iterable[str], user: User, missing_address: str | None = None
) -> list[ScopeText]:
    """Return what the consent page says of each scope, in the order asked for.

    ``missing_address`` says why there is no address to be shared.
    """
    profile = _("Your name and your picture") if user.image else _("Your name")
    address = (
        _("The address of your account")
        if user.email_verified
        else _("No address is shared now. One that becomes known later is shared.")
    )
    texts = {
        "openid": (_("Know who you are"), _("The identifier of your account here"), None),
        "profile": (_("See your profile"), profile, user.name),
        "email": (_("See your email address"), address, user.verified_email),
        "offline_access": (
            _("Stay connected"),
            _("Keep this access while you are away, until you take it back"),
            None,
        ),
    }
    advice = {"email": missing_address}
    return [ScopeText(scope, *texts[scope], advice.get(scope)) for scope in scopes]
