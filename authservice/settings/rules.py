"""Rules across settings: what local mode and production each demand, and what fits together.

The two can never be mixed up: local mode runs on a loopback address only, without a cookie
domain; production runs on https only and not without its secrets.
"""

from collections.abc import Mapping
from pathlib import Path

from authservice.settings import resource_file
from authservice.settings.admission import AdmissionSettings
from authservice.settings.auth_settings import (
    Lifetimes,
    LocalModeSettings,
    ProviderSettings,
    RequestLimits,
)
from authservice.settings.catalogue import GITHUB_API
from authservice.settings.github_app import GitHubAppSettings
from authservice.settings.hosts import (
    host_of,
    is_ip_address,
    is_loopback,
    is_public_suffix,
    port_of,
    same_site,
    within_domain,
)
from authservice.settings.outgoing import OutgoingSettings
from authservice.settings.parsing import MAKE_A_SECRET, is_origin, words
from authservice.settings.resource_file import Resource
from authservice.settings.sources import Source

_LOCAL_PORT = 37960
_LOCAL_MODE = Path(__file__).parents[1] / "local_mode" / "__init__.py"
# A sign-in opens the page, may open it again, and sends its form: all at one path.
_REQUESTS_OF_A_SIGN_IN = 3


def local_mode(source: Source) -> bool:
    """Tell whether local mode is set; a build without its package refuses it."""
    # Anything but the exact word is refused, and never taken for local mode meanwhile.
    local: bool = source.value("auth.mode") == "local"
    if local and not _LOCAL_MODE.is_file():
        source.refuse("auth.mode", "must be production; this build has no local mode")
    return local


def address(source: Source, auth_url: str, *, local_mode: bool) -> None:
    """Local mode answers on loopback only, production over https only."""
    name = source.name("auth.url")
    if not is_origin(auth_url):
        return
    if local_mode and not is_loopback(host_of(auth_url)):
        source.refuse(name, "local mode needs a loopback address such as http://localhost:37960")
    if not local_mode and not auth_url.startswith("https://"):
        source.refuse(name, "production needs an https address")


def cookie_prefix(auth_url: str, *, local_mode: bool) -> str:
    """Return how cookie names begin if it is not set; blank where the default may count.

    A browser sends the cookies of localhost to every port. So those of a second service there have
    names of their own.
    """
    if not local_mode or not is_origin(auth_url) or port_of(auth_url) == _LOCAL_PORT:
        return ""
    return f"authservice-{port_of(auth_url)}"


def cookie_domain(source: Source, auth_url: str, *, local_mode: bool) -> str | None:
    """Return the domain that shares the session, without its leading dot."""
    text: str | None = source.value("auth.cookie_domain")
    if text is None:
        return None
    name = source.name("auth.cookie_domain")
    domain = text.removeprefix(".")
    if local_mode:
        source.refuse(name, "local mode has no shared cookie domain; leave it unset")
    elif not is_origin(f"https://{domain}") or is_ip_address(domain):
        source.refuse(name, "must be a domain in lower case, such as .example.com")
    elif is_public_suffix(domain):
        source.refuse(name, "is a public suffix, below which anyone may have a host; name your own")
    elif is_origin(auth_url) and not _shares_cookies(host_of(auth_url), domain):
        source.refuse(name, "must be the host in AUTH_URL or a parent domain of it")
    return domain


def _shares_cookies(host: str, domain: str) -> bool:
    # The tail of an IP address looks like a parent domain and is none (RFC 6265, section 5.1.3).
    return within_domain(host, domain) and not is_ip_address(host)


def trusted_origins(source: Source, auth_url: str, *, local_mode: bool) -> tuple[str, ...]:
    """Return the further first-party origins; other sites would never get the session cookie."""
    origins: tuple[str, ...] = source.value("auth.trusted_origins")
    for origin in origins:
        if local_mode and not is_loopback(host_of(origin)):
            source.refuse("auth.trusted_origins", f"local mode trusts localhost only: {origin!r}")
        elif not local_mode and not origin.startswith("https://"):
            source.refuse("auth.trusted_origins", f"production trusts https only: {origin!r}")
        elif (
            is_origin(auth_url)
            and not local_mode
            and not same_site(host_of(origin), host_of(auth_url))
        ):
            source.refuse(
                "auth.trusted_origins",
                f"{origin!r} is on another site than AUTH_URL, where the session cookie is not"
                " sent; register an OAuth client for it",
            )
    return origins


def resources(source: Source, auth_url: str) -> Mapping[str, Resource]:
    """Return the resources that tokens can be made for, by URI; none of them is this service."""
    file = source.value("auth.resources")
    if file is None:
        return {}
    issuer = f"{auth_url}/api/auth"
    described, problems = resource_file.read(file, [auth_url, issuer, f"{issuer}/"])
    for problem in problems:
        source.refuse("auth.resources", problem)
    return described


def auth_secret(source: Source, *, local_mode: bool) -> bytes | None:
    """Return the server's secret; only local mode makes its own, beside its database."""
    if not source.is_set("AUTH_SECRET"):
        if not local_mode:
            source.refuse("AUTH_SECRET", f"not set; {MAKE_A_SECRET}")
        elif not source.text("auth.database_url").startswith("sqlite"):
            source.refuse(
                "AUTH_SECRET", "is needed in local mode too unless the database is a file"
            )
    secret: bytes | None = source.secret("AUTH_SECRET")
    return secret


def provider(source: Source, *, local_mode: bool) -> ProviderSettings:
    """Return the identity provider, at which production has to be known."""
    if not (local_mode or source.text("provider.client_id")):
        source.refuse(source.name("provider.client_id"), "not set; the identity provider gives it")
    if not (local_mode or source.is_set("PROVIDER_CLIENT_SECRET")):
        source.refuse("PROVIDER_CLIENT_SECRET", "not set; the identity provider gives it")
    return source.section(
        "provider",
        ProviderSettings,
        client_id=source.text("provider.client_id"),
        client_secret=source.secret("PROVIDER_CLIENT_SECRET") or "",
        trust_emails=trusts_emails(source),
        app=github_app(source, local_mode=local_mode),
    )


def trusts_emails(source: Source) -> bool:
    """GitHub itself has verified the addresses that it calls verified; another server may not."""
    api_url = source.text("provider.api_url").rstrip("/")
    trusts: bool = source.value("provider.trust_emails", str(api_url == GITHUB_API).lower())
    return trusts


def github_app(source: Source, *, local_mode: bool) -> GitHubAppSettings | None:
    """Return the App, or None; its id and its private key are given together or not at all."""
    name = source.name("provider.app_id")
    app_id = source.value("provider.app_id")
    private_key = source.secret("PROVIDER_APP_PRIVATE_KEY")
    webhook_secret = source.secret("PROVIDER_WEBHOOK_SECRET")
    if not source.text("provider.app_id"):
        if source.is_set("PROVIDER_APP_PRIVATE_KEY") or source.is_set("PROVIDER_WEBHOOK_SECRET"):
            source.refuse(name, "not set; the App's page at the provider shows its App ID")
        return None
    if local_mode:
        source.refuse(name, "local mode asks no provider; remove it")
    if not source.is_set("PROVIDER_APP_PRIVATE_KEY"):
        source.refuse(
            "PROVIDER_APP_PRIVATE_KEY",
            "not set; generate a private key on the App's page at the provider, and set"
            " PROVIDER_APP_PRIVATE_KEY_FILE to its file",
        )
    return GitHubAppSettings(id=app_id, private_key=private_key, webhook_secret=webhook_secret)


def admission(source: Source, *, local_mode: bool) -> AdmissionSettings:
    """Return who may sign in; production has to say so, local mode lets everyone in."""
    keys = ("admission.organizations", "admission.users", "admission.email_domains")
    rules = tuple(dict.fromkeys(rule for key in keys for rule in source.value(key)))
    everyone = source.value("admission.everyone")
    if everyone and rules:
        source.refuse(
            source.name("admission.everyone"),
            "lets everyone in; remove it, or all other rules of admission",
        )
    # A rule that cannot be read is a problem of its own.
    if not (local_mode or everyone or any(words(source.text(key)) for key in keys)):
        names = ", ".join(source.name(key) for key in (*keys, "admission.everyone"))
        source.refuse(
            "admission",
            f"say who may sign in: set at least one of {names}; admission.everyone = true lets"
            " everyone in who has an account at the provider",
        )
    return source.section(
        "admission",
        AdmissionSettings,
        rules=rules,
        everyone=everyone or (local_mode and not rules),
    )


def groups_from(source: Source) -> tuple[str, ...]:
    """Return the organizations whose groups first-party applications and claims may have."""
    return tuple(dict.fromkeys(source.value("claims.groups_from")))


def outgoing(source: Source) -> OutgoingSettings:
    """Return how others are reached; a password never stands in an ini file."""
    settings = source.section("outgoing", OutgoingSettings)
    if "@" in (settings.proxy or "") and not source.is_in_environment("outgoing.proxy"):
        source.refuse(
            source.name("outgoing.proxy"),
            "a password never stands in an ini file; set OUTGOING_PROXY",
        )
    return settings


def request_limits(source: Source) -> RequestLimits:
    """Return the limits; the pages of a sign-in that may begin can be opened too."""
    limits = source.section("ratelimit", RequestLimits)
    least = _REQUESTS_OF_A_SIGN_IN * limits.begun_sign_ins
    if limits.other_requests < least:
        source.refuse(
            "ratelimit.other_requests",
            f"must be at least three times ratelimit.begun_sign_ins, which is {least}",
        )
    return limits


def lifetimes(source: Source) -> Lifetimes:
    """Return the lifetimes; nothing outlives what it is a part of."""
    lifetimes = source.section("lifetimes", Lifetimes)
    if lifetimes.session_update >= lifetimes.session:
        source.refuse("lifetimes.session_update", "must be shorter than lifetimes.session")
    if lifetimes.session_max < lifetimes.session:
        source.refuse("lifetimes.session_max", "must not be shorter than lifetimes.session")
    if lifetimes.refresh_family < lifetimes.refresh_token:
        source.refuse(
            "lifetimes.refresh_family", "must not be shorter than lifetimes.refresh_token"
        )
    return lifetimes


def of_local_mode(source: Source, *, local_mode: bool) -> LocalModeSettings:
    """Return what is set for local mode; nothing of it may be set in production."""
    automatically = source.value("local.sign_in") == "automatic"
    persons = source.value("local.persons")
    if not local_mode:
        for name, is_set in (
            ("AUTH_LOCAL_CONTROL_TOKEN", source.is_set("AUTH_LOCAL_CONTROL_TOKEN")),
            (source.name("local.persons"), bool(persons)),
            ("local.sign_in", automatically),
        ):
            if is_set:
                source.refuse(name, "belongs to local mode; remove it")
    return LocalModeSettings(
        control_token=source.secret("AUTH_LOCAL_CONTROL_TOKEN") if local_mode else None,
        persons_file=persons,
        signs_in_automatically=automatically,
    )
