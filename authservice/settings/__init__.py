"""Settings: read once at start, from environment and ini file, and checked as a whole.

``load_settings`` returns a frozen value or raises one error that names every problem. Nothing
else of the service reads the environment.
"""

import re
from collections.abc import Mapping
from datetime import timedelta

from authservice.settings import parsing, rules
from authservice.settings.admission import AdmissionSettings, admission, groups_from
from authservice.settings.auth_settings import (
    LONGEST_SIGNED_TOKEN,
    AuthSettings,
    Lifetimes,
    OutgoingSettings,
    ProviderSettings,
    RequestLimits,
)
from authservice.settings.branding import branding
from authservice.settings.github_app import GitHubAppSettings, github_app
from authservice.settings.local_mode import of_local_mode
from authservice.settings.outgoing import outgoing
from authservice.settings.problems import Problem, SettingsError
from authservice.settings.resource_indicators import resources
from authservice.settings.sources import Source

__all__ = [
    "LONGEST_SIGNED_TOKEN",
    "METRICS_MISSING",
    "TRACING_MISSING",
    "AdmissionSettings",
    "AuthSettings",
    "GitHubAppSettings",
    "Lifetimes",
    "OutgoingSettings",
    "Problem",
    "ProviderSettings",
    "RequestLimits",
    "SettingsError",
    "load_database_settings",
    "load_metrics_address",
    "load_provider_identity",
    "load_remote_database_url",
    "load_server_secrets",
    "load_settings",
    "load_traces_exporter",
    "load_what_rules_go_by",
]

METRICS_MISSING = (
    "metrics.listen needs prometheus-client; install it: pip install 'authservice[metrics]'"
)
TRACING_MISSING = (
    "OTEL_TRACES_EXPORTER needs OpenTelemetry; install it: pip install 'authservice[opentelemetry]'"
)
_SYNCHRONOUS = ("FULL", "NORMAL")
_DEFAULT_DATABASE = "sqlite:///authservice.sqlite"
# Browsers cut a cookie's life at 400 days.
_LONGEST = 400 * 24 * 3600
# As many as a server may have threads.
_MOST_SIGN_INS = 256
# Beyond that a limit limits nothing.
_MOST_REQUESTS = 1_000_000
# A sign-in opens the page, may open it again, and sends its form: all at one path.
_REQUESTS_OF_A_SIGN_IN = 3
_LONGEST_TOKEN = int(LONGEST_SIGNED_TOKEN.total_seconds())
# Long enough for a key's successor to be published before it takes over.
_SHORTEST_KEY = 24 * 3600
_COOKIE_PREFIX = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_GITHUB_API = "https://api.github.com"
_PROVIDER_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


def load_settings(ini: Mapping[str, str], environ: Mapping[str, str]) -> AuthSettings:
    """Return the settings; raises SettingsError that names every problem and its remedy."""
    source = Source(ini, environ)
    local_mode = rules.local_mode(source)
    auth_url = parsing.origin(source, "auth.url")
    rules.address(source, auth_url, local_mode=local_mode)
    named = resources(source, auth_url)
    settings = AuthSettings(
        local_mode=local_mode,
        auth_url=auth_url,
        cookie_domain=rules.cookie_domain(source, auth_url, local_mode=local_mode),
        cookie_prefix=_matching(
            source,
            "auth.cookie_prefix",
            rules.cookie_prefix(auth_url, local_mode=local_mode),
            _COOKIE_PREFIX,
        ),
        database_url=parsing.database_url(source, "auth.database_url", _DEFAULT_DATABASE),
        sqlite_synchronous=parsing.choice(source, "auth.sqlite_synchronous", _SYNCHRONOUS, "FULL"),
        auth_secret=parsing.server_secret(source, "AUTH_SECRET", required=not local_mode),
        auth_secret_previous=parsing.server_secret(source, "AUTH_SECRET_PREVIOUS", required=False),
        provider=_provider(source, required=not local_mode),
        admission=admission(source, local_mode=local_mode),
        groups_from=groups_from(source),
        trusted_origins=rules.trusted_origins(source, auth_url, local_mode=local_mode),
        trusted_proxies=parsing.networks(source, "auth.trusted_proxies"),
        service_name=source.text("auth.service_name", "authservice"),
        branding=branding(source),
        resources=named.introspecting,
        resource_names=named.names,
        backchannel_networks=parsing.networks(source, "auth.backchannel_networks"),
        outgoing=outgoing(source),
        ratelimit_storage=None if local_mode else _ratelimit_storage(source),
        request_limits=_request_limits(source),
        metrics_listen=parsing.listen_address(source, "metrics.listen"),
        lifetimes=_lifetimes(source),
        local=of_local_mode(source, local_mode=local_mode),
    )
    if (
        local_mode
        and settings.auth_secret is None
        and not settings.database_url.startswith("sqlite")
    ):
        source.refuse("AUTH_SECRET", "is needed in local mode too unless the database is a file")
    if source.problems:
        raise SettingsError(source.problems)
    return settings


def load_database_settings(ini: Mapping[str, str], environ: Mapping[str, str]) -> tuple[str, str]:
    """Return the database's address and how hard SQLite flushes; no secret is needed or read."""
    source = Source(ini, environ)
    url = parsing.database_url(source, "auth.database_url", _DEFAULT_DATABASE)
    synchronous = parsing.choice(source, "auth.sqlite_synchronous", _SYNCHRONOUS, "FULL")
    if source.problems:
        raise SettingsError(source.problems)
    return url, synchronous


def load_remote_database_url(url: str) -> str:
    """Return the address that AUTH_REMOTE_DATABASE_URL holds; raises SettingsError."""
    source = Source({"AUTH_REMOTE_DATABASE_URL": url}, {})
    parsing.database_url(source, "AUTH_REMOTE_DATABASE_URL", "")
    if source.problems:
        raise SettingsError(source.problems)
    return url


def load_provider_identity(ini: Mapping[str, str], environ: Mapping[str, str]) -> tuple[str, str]:
    """Return the provider's id and the address of its API; no secret is needed or read.

    Raises SettingsError, in local mode too, which has no provider.
    """
    source = Source(ini, environ)
    if rules.local_mode(source):
        source.refuse("auth.mode", "is local, where no identity provider is asked")
    found = _provider_id(source), _api_url(source)
    if source.problems:
        raise SettingsError(source.problems)
    return found


def load_what_rules_go_by(
    ini: Mapping[str, str], environ: Mapping[str, str]
) -> tuple[tuple[str, ...] | None, bool]:
    """Return whose members are known, None for those of all, and whether addresses count.

    No secret is needed or read. Raises SettingsError.
    """
    source = Source(ini, environ)
    local_mode = rules.local_mode(source)
    of_rules = admission(source, local_mode=local_mode).organizations
    known = (*of_rules, *groups_from(source))
    found = None if local_mode and not known else known, _trusts_emails(source)
    if source.problems:
        raise SettingsError(source.problems)
    return found


def load_metrics_address(ini: Mapping[str, str]) -> tuple[str, int] | None:
    """Return where metrics are read, or None; an address that is none is refused elsewhere."""
    return parsing.listen_address(Source(ini, {}), "metrics.listen")


def load_traces_exporter(environ: Mapping[str, str]) -> str | None:
    """Return where OpenTelemetry's own variables send traces, or None without traces.

    The specification would send them without being asked; here it takes OTEL_TRACES_EXPORTER.
    """
    named = environ.get("OTEL_TRACES_EXPORTER", "").strip()
    disabled = environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"
    return None if disabled or named in {"", "none"} else named


def load_server_secrets(environ: Mapping[str, str]) -> tuple[bytes | None, bytes | None]:
    """Return AUTH_SECRET and AUTH_SECRET_PREVIOUS, each None when it is not given."""
    source = Source({}, environ)
    current = parsing.server_secret(source, "AUTH_SECRET", required=False)
    previous = parsing.server_secret(source, "AUTH_SECRET_PREVIOUS", required=False)
    if source.problems:
        raise SettingsError(source.problems)
    return current, previous


def _matching(source: Source, key: str, default: str, pattern: re.Pattern[str]) -> str:
    text = source.text(key, default)
    if not pattern.fullmatch(text):
        source.refuse(key, f"must match {pattern.pattern}")
    return text


def _provider(source: Source, *, required: bool) -> ProviderSettings:
    client_id = source.text("provider.client_id")
    client_secret = source.secret("PROVIDER_CLIENT_SECRET")
    if required and not client_id:
        source.refuse(
            source.name("provider.client_id"), "is missing; the identity provider gives it"
        )
    if required and client_secret == "":
        source.refuse("PROVIDER_CLIENT_SECRET", "is missing; the identity provider gives it")
    return ProviderSettings(
        id=_provider_id(source),
        client_id=client_id,
        client_secret=client_secret or "",
        authorize_url=parsing.web_address(
            source, "provider.authorize_url", "https://github.com/login/oauth/authorize"
        ),
        token_url=parsing.web_address(
            source, "provider.token_url", "https://github.com/login/oauth/access_token"
        ),
        api_url=_api_url(source),
        concurrent_sign_ins=parsing.whole_number(
            source, "provider.concurrent_sign_ins", 4, at_most=_MOST_SIGN_INS
        ),
        trust_emails=_trusts_emails(source),
        app=github_app(source, local_mode=not required),
    )


def _trusts_emails(source: Source) -> bool:
    """GitHub itself has verified the addresses that it calls verified; another server may not."""
    api_url = source.text("provider.api_url", _GITHUB_API)
    otherwise = "true" if api_url.rstrip("/") == _GITHUB_API else "false"
    return parsing.choice(source, "provider.trust_emails", ("true", "false"), otherwise) == "true"


def _provider_id(source: Source) -> str:
    return _matching(source, "provider.id", "github", _PROVIDER_ID)


def _api_url(source: Source) -> str:
    return parsing.web_address(source, "provider.api_url", _GITHUB_API)


def _ratelimit_storage(source: Source) -> str:
    text = source.text("ratelimit.storage", "memory://")
    if text != "memory://" and not text.startswith(("redis://", "rediss://")):
        source.refuse("ratelimit.storage", "must be memory:// or redis://HOST:PORT/DATABASE")
    return text


def _request_limits(source: Source) -> RequestLimits:
    def number(name: str, default: int) -> int:
        return parsing.whole_number(source, f"ratelimit.{name}", default, at_most=_MOST_REQUESTS)

    limits = RequestLimits(
        begun_sign_ins=number("begun_sign_ins", 30),
        authorization_requests=number("authorization_requests", 300),
        client_requests=number("client_requests", 600),
        client_failures=number("client_failures", 20),
        session_checks=number("session_checks", 100),
        session_requests=number("session_requests", 300),
        other_requests=number("other_requests", 100),
    )
    least = _REQUESTS_OF_A_SIGN_IN * limits.begun_sign_ins
    if limits.other_requests < least:
        source.refuse(
            "ratelimit.other_requests",
            f"must be at least three times ratelimit.begun_sign_ins, which is {least}",
        )
    return limits


def _lifetimes(source: Source) -> Lifetimes:
    def seconds(
        name: str, default: int, at_most: int = _LONGEST, *, at_least: int = 1
    ) -> timedelta:
        key = f"lifetimes.{name}"
        number = parsing.whole_number(
            source, key, default, at_least=at_least, at_most=at_most, unit=" of seconds"
        )
        return timedelta(seconds=number)

    lifetimes = Lifetimes(
        session=seconds("session", 604800),
        session_update=seconds("session_update", 86400),
        session_max=seconds("session_max", 7776000),
        code=seconds("code", 60, 600),
        access_token=seconds("access_token", 3600, _LONGEST_TOKEN),
        id_token=seconds("id_token", 3600, _LONGEST_TOKEN),
        refresh_token=seconds("refresh_token", 2592000),
        refresh_family=seconds("refresh_family", 7776000),
        refresh_grace=seconds("refresh_grace", 10, 300),
        signing_key=seconds("signing_key", 7776000, at_least=_SHORTEST_KEY),
    )
    if lifetimes.session_update >= lifetimes.session:
        source.refuse("lifetimes.session_update", "must be shorter than lifetimes.session")
    if lifetimes.session_max < lifetimes.session:
        source.refuse("lifetimes.session_max", "must not be shorter than lifetimes.session")
    if lifetimes.refresh_family < lifetimes.refresh_token:
        source.refuse(
            "lifetimes.refresh_family", "must not be shorter than lifetimes.refresh_token"
        )
    return lifetimes
