"""The GitHub App: the provider knows it, and it may read what rules need."""

from collections.abc import Iterator, Mapping

from sqlalchemy.exc import DBAPIError

from authservice.database import schema
from authservice.diagnosis.before.database import reading
from authservice.diagnosis.deployment import Deployment
from authservice.diagnosis.finding import Finding, error, subject, warning
from authservice.identity_provider import SignInFailedError
from authservice.identity_provider.github_app.app_memberships import AppMemberships
from authservice.identity_provider.github_app.installations import Installation
from authservice.identity_provider.github_app.known_pages import UnreadableError
from authservice.identity_provider.provider_calls import ProviderCalls
from authservice.services.admission import pins
from authservice.services.admission.decision import Pin
from authservice.settings import AuthSettings

APP_REFUSED = error(
    "app.refused",
    "The identity provider does not know the GitHub App, or not by this key.",
    "Compare provider.app_id with the App's page at the provider, and generate a new private key"
    " there if this one was deleted.",
)
APP_OTHER_CLIENT = error(
    "app.other_client",
    "The client id is not that of the GitHub App, so people would sign in to another application.",
    "Set provider.client_id and PROVIDER_CLIENT_SECRET to those on the App's page.",
)
APP_MEMBERS_PERMISSION = error(
    "app.members_permission",
    "The GitHub App may not read members, so nobody is let in as a member.",
    "Give it the organization permission Members, read-only, on the App's page, and let an owner of"
    " each organization accept it.",
)
APP_ADDRESSES_PERMISSION = warning(
    "app.addresses_permission",
    "The GitHub App may not read email addresses, so applications get none, and no rule about"
    " domains lets anyone in.",
    "Give it the account permission Email addresses, read-only, on the App's page.",
)
APP_NOT_INSTALLED = error(
    "app.not_installed",
    "The GitHub App is not installed in an organization that the settings name, so nobody is let in"
    " as its member.",
    "Install it there: Install App on the App's page. If the organization has a new name, correct"
    " the rule.",
)
APP_SUSPENDED = error(
    "app.suspended",
    "The GitHub App is suspended in an organization, or an owner has not accepted its permissions.",
    "Let an owner of the organization look at Settings, GitHub Apps.",
)
APP_NO_WEBHOOK = warning(
    "app.no_webhook",
    "No event of the provider is taken: those who leave stay in for up to ten minutes.",
    "Set a secret for the webhook on the App's page, and the same in PROVIDER_WEBHOOK_SECRET.",
)

_APP_SECONDS = 20.0
_READS = {"read", "write"}


@subject(
    "app",
    order=11,
    in_order="The GitHub App may read the members of every organization in the settings.",
)
def app(deployment: Deployment) -> Iterator[Finding]:
    """Yield what would keep the App from asking for members."""
    settings = deployment.settings
    github_app = settings.provider.app
    asking = AppMemberships.of(settings, lambda: _pins(deployment))
    if github_app is None or asking is None:
        yield app.ok("The settings have no GitHub App.")
        return
    if github_app.webhook_secret is None:
        yield APP_NO_WEBHOOK.at("PROVIDER_WEBHOOK_SECRET")
    calls = asking.installations.calls(_APP_SECONDS)
    try:
        registered = asking.installations.registration(calls)
        if registered is None:
            yield APP_REFUSED.at("provider.app_id", found=github_app.id)
            return
        yield from _of_registration(settings, registered)
        yield from _of_installations(asking, calls, f"App {github_app.id}")
    except (SignInFailedError, UnreadableError) as failure:
        yield app.skipped(f"The provider does not say what it knows of the App: {failure}")


def _pins(deployment: Deployment) -> dict[str, Pin]:
    """Return the numbers of names; none where they cannot be read, and names count as they are."""
    try:
        with reading(deployment) as connection:
            if connection is not None and schema.is_migrated(connection):
                return pins.all_pins(connection)
    except (DBAPIError, ModuleNotFoundError):
        # What is wrong with the database has findings of its own.
        pass
    return {}


def _of_registration(settings: AuthSettings, registered: Mapping[str, object]) -> Iterator[Finding]:
    client_id = registered.get("client_id")
    if isinstance(client_id, str) and client_id != settings.provider.client_id:
        yield APP_OTHER_CLIENT.at(
            "provider.client_id", found=settings.provider.client_id, expected=client_id
        )
    permissions = registered.get("permissions")
    allowed = permissions if isinstance(permissions, dict) else {}
    if allowed.get("members") not in _READS:
        yield APP_MEMBERS_PERMISSION.at("provider.app_id")
    if allowed.get("emails") not in _READS:
        yield APP_ADDRESSES_PERMISSION.at("provider.app_id")


def _of_installations(
    asking: AppMemberships, calls: ProviderCalls, expected: str
) -> Iterator[Finding]:
    installed = sorted(each.organization.name for each in asking.installations.all(calls))
    places: dict[str, Installation | str] = {}
    for name, place in asking.places(calls):
        # What comes second is a stranger that has taken the name.
        places.setdefault(name, place)
    for name, place in places.items():
        if isinstance(place, str):
            yield APP_NOT_INSTALLED.at(name, found=", ".join(installed), expected=expected)
        elif place.refuses is not None:
            yield APP_SUSPENDED.at(name, found=place.refuses)
