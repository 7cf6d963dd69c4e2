"""Scopes and resources in words that a person understands, with the very data to be shared."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from pyramid.i18n import TranslationString

from authservice.services.people import groups
from authservice.services.people.users import User
from authservice.settings import AuthSettings
from authservice.web.pages.texts import _

_NO_VALUES: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScopeText:
    """One line of the consent page; ``values`` is what would be shared now."""

    name: str
    title: str
    detail: str
    values: tuple[str, ...]
    advice: str | None = None


@dataclass(frozen=True, slots=True)
class ResourceText:
    """A resource on a page: what it is called, and its URI where that is something else.

    ``scopes`` has a sentence by the name of each of its scopes that the page is about.
    """

    name: str
    uri: str | None
    scopes: Mapping[str, str]


def resource_texts(
    resources: Iterable[str], scopes: Collection[str], settings: AuthSettings, language: str
) -> list[ResourceText]:
    """Return what pages say of each resource and of its scopes, in the order of the request."""
    texts = []
    for uri in resources:
        name = settings.resource_name(uri)
        described = settings.resources.get(uri)
        sentences = (
            {}
            if described is None
            else {
                scope: described.sentence(scope, language)
                for scope in scopes
                if scope in described.scopes
            }
        )
        texts.append(ResourceText(name, None if name == uri else uri, sentences))
    return texts


def scope_texts(
    scopes: Iterable[str], user: User, settings: AuthSettings, missing_address: str | None = None
) -> list[ScopeText]:
    """Return what the consent page says of each scope of ours, in the order of the request.

    ``missing_address`` says why there is no address to be shared.
    """
    told = groups.told_to_clients(user, settings) or ()
    texts = {
        "openid": (_("Know who you are"), _("The identifier of your account here"), _NO_VALUES),
        "profile": (_("See your profile"), _profile(user), _seen(user.name, user.username)),
        "email": (_("See your email address"), _address(user), _seen(user.verified_email)),
        "offline_access": (
            _("Stay connected"),
            _("Keep this access while you are away, until you take it back"),
            _NO_VALUES,
        ),
        groups.SCOPE: (_("See your groups"), _groups(told), told),
    }
    advice = {"email": missing_address}
    ours = (scope for scope in scopes if scope in texts)
    return [ScopeText(scope, *texts[scope], advice.get(scope)) for scope in ours]


def _profile(user: User) -> TranslationString:
    if user.username:
        if user.image:
            return _("Your name, your username and your picture")
        return _("Your name and your username")
    return _("Your name and your picture") if user.image else _("Your name")


def _address(user: User) -> TranslationString:
    if user.email_verified:
        return _("The address of your account")
    return _("No address is shared now. One that becomes known later is shared.")


def _groups(told: tuple[str, ...]) -> TranslationString:
    if told:
        return _("Organizations and teams that you belong to, now and later")
    return _("No group is shared now. Those that become known later are shared.")


def _seen(*values: str | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, values)))
