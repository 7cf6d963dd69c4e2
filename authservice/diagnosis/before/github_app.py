"""The GitHub App: the provider knows it, it may read members, and is installed where it has to."""

from collections.abc import Iterator, Mapping

from authservice.diagnosis.deployment import Deployment
from authservice.diagnosis.finding import Finding, error, ok, skipped, warning
from authservice.identity_provider import SignInFailedError
from authservice.identity_provider.asked_groups import AskedGroups
from authservice.identity_provider.github_app.installations import Installations
from authservice.identity_provider.github_app.known_pages import UnreadableError
from authservice.identity_provider.provider_calls import ProviderCalls
from authservice.settings import AuthSettings, GitHubAppSettings

IN_ORDER = "The GitHub App may read the members of every organization in the settings."

REFUSED = error(
    "app.refused",
    "The identity provider does not know the GitHub App, or not by this key.",
    "Compare provider.app_id with the App's page at the provider, and generate a new private key"
    " there if this one was deleted.",
)
OTHER_CLIENT = error(
    "app.other_client",
    "The client id is not that of the GitHub App, so people would sign in to another application.",
    "Set provider.client_id and PROVIDER_CLIENT_SECRET to those on the App's page.",
)
MEMBERS_HIDDEN = error(
    "app.members_permission",
    "The GitHub App may not read members, so nobody is let in as a member.",
    "Give it the organization permission Members, read-only, on the App's page, and let an owner of"
    " each organization accept it.",
)
ADDRESSES_HIDDEN = warning(
    "app.addresses_permission",
    "The GitHub App may not read email addresses, so applications get none, and no rule about"
    " domains lets anyone in.",
    "Give it the account permission Email addresses, read-only, on the App's page.",
)
NOT_INSTALLED = error(
    "app.not_installed",
    "The GitHub App is not installed in an organization that the settings name, so nobody is let in"
    " as its member.",
    "Install it there: Install App on the App's page. If the organization has a new name, correct"
    " the rule.",
)
NOT_ALLOWED = error(
    "app.suspended",
    "The GitHub App is suspended in an organization, or an owner has not accepted its permissions.",
    "Let an owner of the organization look at Settings, GitHub Apps.",
)
NO_WEBHOOK = warning(
    "app.no_webhook",
    "No event of the provider is taken: those who leave stay in for up to ten minutes.",
    "Set a secret for the webhook on the App's page, and the same in PROVIDER_WEBHOOK_SECRET.",
)

_SECONDS = 20.0
_READS = {"read", "write"}


def examine(deployment: Deployment) -> Iterator[Finding]:
    """Yield what would keep the App from asking for members."""
    settings = deployment.settings
    app = settings.provider.app
    if app is None:
        yield ok("app", "The settings have no GitHub App.")
        return
    if app.webhook_secret is None:
        yield NO_WEBHOOK.at("PROVIDER_WEBHOOK_SECRET")
    installations = Installations(settings.provider, app, settings.outgoing)
    calls = installations.calls(_SECONDS)
    try:
        registered = installations.registration(calls)
        if registered is None:
            yield REFUSED.at("provider.app_id", found=app.id)
            return
        yield from _of_registration(settings, registered)
        yield from _of_installations(settings, app, installations, calls)
    except (SignInFailedError, UnreadableError) as failure:
        yield skipped("app", f"The provider does not say what it knows of the App: {failure}")


def _of_registration(settings: AuthSettings, registered: Mapping[str, object]) -> Iterator[Finding]:
    client_id = registered.get("client_id")
    if isinstance(client_id, str) and client_id != settings.provider.client_id:
        yield OTHER_CLIENT.at(
            "provider.client_id", found=settings.provider.client_id, expected=client_id
        )
    permissions = registered.get("permissions")
    allowed = permissions if isinstance(permissions, dict) else {}
    if allowed.get("members") not in _READS:
        yield MEMBERS_HIDDEN.at("provider.app_id")
    if allowed.get("emails") not in _READS:
        yield ADDRESSES_HIDDEN.at("provider.app_id")


def _of_installations(
    settings: AuthSettings,
    app: GitHubAppSettings,
    installations: Installations,
    calls: ProviderCalls,
) -> Iterator[Finding]:
    names = {place.organization.name: place for place in installations.all(calls)}
    for name in AskedGroups.of(settings).organizations:
        place = names.get(name)
        if place is None:
            yield NOT_INSTALLED.at(name, found=", ".join(sorted(names)), expected=f"App {app.id}")
        elif place.refuses is not None:
            yield NOT_ALLOWED.at(name, found=place.refuses)
