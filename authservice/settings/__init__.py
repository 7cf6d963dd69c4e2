"""Settings: read once at start, from environment and ini file, and checked as a whole.

``load_settings`` returns a frozen value or raises one error that names every problem. Nothing
else of the service reads the environment.
"""

from collections.abc import Mapping

from authservice.settings import parsing, rules
from authservice.settings.admission import AdmissionSettings
from authservice.settings.auth_settings import (
    LONGEST_SIGNED_TOKEN,
    AuthSettings,
    Lifetimes,
    ProviderSettings,
    RequestLimits,
)
from authservice.settings.branding import Branding
from authservice.settings.github_app import GitHubAppSettings
from authservice.settings.outgoing import OutgoingSettings
from authservice.settings.problems import Problem, RefusedError, SettingsError
from authservice.settings.resource_file import Resource
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
    "load_resources",
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


def load_settings(ini: Mapping[str, str], environ: Mapping[str, str]) -> AuthSettings:
    """Return the settings; raises SettingsError that names every problem and its remedy."""
    source = Source(ini, environ)
    local_mode = rules.local_mode(source)
    # One that is refused is held against other settings all the same.
    auth_url = source.value("auth.url") or source.text("auth.url")
    rules.address(source, auth_url, local_mode=local_mode)
    settings = source.section(
        "auth",
        AuthSettings,
        local_mode=local_mode,
        auth_url=auth_url,
        cookie_domain=rules.cookie_domain(source, auth_url, local_mode=local_mode),
        cookie_prefix=source.value(
            "auth.cookie_prefix", rules.cookie_prefix(auth_url, local_mode=local_mode)
        ),
        auth_secret=rules.auth_secret(source, local_mode=local_mode),
        auth_secret_previous=source.secret("AUTH_SECRET_PREVIOUS"),
        provider=rules.provider(source, local_mode=local_mode),
        admission=rules.admission(source, local_mode=local_mode),
        groups_from=rules.groups_from(source),
        trusted_origins=rules.trusted_origins(source, auth_url, local_mode=local_mode),
        branding=source.section("branding", Branding),
        resources=rules.resources(source, auth_url),
        outgoing=rules.outgoing(source),
        ratelimit_storage=None if local_mode else source.value("ratelimit.storage"),
        request_limits=rules.request_limits(source),
        metrics_listen=source.value("metrics.listen"),
        lifetimes=rules.lifetimes(source),
        local=rules.of_local_mode(source, local_mode=local_mode),
        ini_file=None,
    )
    source.raise_problems()
    return settings


def load_database_settings(ini: Mapping[str, str], environ: Mapping[str, str]) -> tuple[str, str]:
    """Return the database's address and how hard SQLite flushes; no secret is needed or read."""
    source = Source(ini, environ)
    loaded = source.value("auth.database_url"), source.value("auth.sqlite_synchronous")
    source.raise_problems()
    return loaded


def load_remote_database_url(url: str) -> str:
    """Return the address that AUTH_REMOTE_DATABASE_URL holds; raises SettingsError."""
    try:
        return parsing.database_url(url.strip())
    except RefusedError as refused:
        raise SettingsError([Problem("AUTH_REMOTE_DATABASE_URL", str(refused))]) from None


def load_provider_identity(ini: Mapping[str, str], environ: Mapping[str, str]) -> tuple[str, str]:
    """Return the provider's id and the address of its API; no secret is needed or read.

    Raises SettingsError, in local mode too, which has no provider.
    """
    source = Source(ini, environ)
    if rules.local_mode(source):
        source.refuse("auth.mode", "is local, where no identity provider is asked")
    loaded = source.value("provider.id"), source.value("provider.api_url")
    source.raise_problems()
    return loaded


def load_what_rules_go_by(
    ini: Mapping[str, str], environ: Mapping[str, str]
) -> tuple[tuple[str, ...] | None, bool]:
    """Return whose members are known, None for those of all, and whether addresses count.

    No secret is needed or read. Raises SettingsError.
    """
    source = Source(ini, environ)
    local_mode = rules.local_mode(source)
    of_rules = rules.admission(source, local_mode=local_mode).organizations
    known = (*of_rules, *rules.groups_from(source))
    loaded = None if local_mode and not known else known, rules.trusts_emails(source)
    source.raise_problems()
    return loaded


def load_resources(ini: Mapping[str, str], environ: Mapping[str, str]) -> Mapping[str, Resource]:
    """Return the resources by URI; no secret is needed or read. Raises SettingsError."""
    source = Source(ini, environ)
    loaded = rules.resources(source, source.text("auth.url"))
    source.raise_problems()
    return loaded


def load_metrics_address(ini: Mapping[str, str]) -> tuple[str, int] | None:
    """Return where metrics are read, or None; an address that is none is refused elsewhere."""
    address: tuple[str, int] | None = Source(ini, {}).value("metrics.listen")
    return address


def load_traces_exporter(environ: Mapping[str, str]) -> str | None:
    """Return where OpenTelemetry's own variables send traces, or None without traces.

    The specification would send them by default; here it takes OTEL_TRACES_EXPORTER.
    """
    named = environ.get("OTEL_TRACES_EXPORTER", "").strip()
    disabled = environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"
    return None if disabled or named in {"", "none"} else named


def load_server_secrets(environ: Mapping[str, str]) -> tuple[bytes | None, bytes | None]:
    """Return AUTH_SECRET and AUTH_SECRET_PREVIOUS, each None when it is not given."""
    source = Source({}, environ)
    loaded = source.secret("AUTH_SECRET"), source.secret("AUTH_SECRET_PREVIOUS")
    source.raise_problems()
    return loaded
