"""The configuration as one typed, frozen value. Secrets stay out of its repr."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from authservice.settings.admission import AdmissionSettings
from authservice.settings.branding import Branding
from authservice.settings.github_app import GitHubAppSettings
from authservice.settings.hosts import host_of
from authservice.settings.outgoing import OutgoingSettings
from authservice.settings.parsing import IPNetwork
from authservice.settings.resource_file import Resource

# The longest that any signed token can be made to live: keys stay published for as long.
LONGEST_SIGNED_TOKEN = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifetimes:
    """How long each thing lives."""

    session: timedelta
    session_update: timedelta
    session_max: timedelta
    code: timedelta
    access_token: timedelta
    id_token: timedelta
    refresh_token: timedelta
    refresh_family: timedelta
    refresh_grace: timedelta
    signing_key: timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestLimits:
    """How many requests each window of the rate limits holds; `authservice.web` has the windows."""

    begun_sign_ins: int
    authorization_requests: int
    client_requests: int
    client_failures: int
    unknown_tokens: int
    session_requests: int
    other_requests: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderSettings:
    """The external identity provider: who we are there, and where it answers."""

    id: str
    client_id: str
    client_secret: str = field(repr=False)
    authorize_url: str
    token_url: str
    api_url: str
    concurrent_sign_ins: int
    trust_emails: bool
    """Whether an address that it calls verified is one, for rules and for applications."""
    app: GitHubAppSettings | None = None
    """The App that asks for members, if there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalModeSettings:
    """What local mode alone has settings for; production has none of it."""

    control_token: str | None = field(repr=False)
    persons_file: str | None
    signs_in_automatically: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthSettings:
    """Everything that the configuration decides, checked as a whole."""

    local_mode: bool
    auth_url: str
    cookie_domain: str | None
    cookie_prefix: str
    database_url: str = field(repr=False)
    sqlite_synchronous: str
    auth_secret: bytes | None = field(repr=False)
    auth_secret_previous: bytes | None = field(repr=False)
    provider: ProviderSettings
    admission: AdmissionSettings
    groups_from: tuple[str, ...]
    trusted_origins: tuple[str, ...]
    trusted_proxies: tuple[IPNetwork, ...]
    service_name: str
    branding: Branding
    resources: Mapping[str, Resource]
    backchannel_networks: tuple[IPNetwork, ...]
    outgoing: OutgoingSettings
    ratelimit_storage: str | None = field(repr=False)
    request_limits: RequestLimits
    metrics_listen: tuple[str, int] | None
    lifetimes: Lifetimes
    local: LocalModeSettings
    ini_file: str | None = None
    """Where the settings come from, as far as not from the environment."""

    @property
    def issuer(self) -> str:
        """Return the issuer identifier."""
        return f"{self.auth_url}/api/auth"

    @property
    def organizations(self) -> tuple[str, ...]:
        """Return the organizations whose groups are read: those of rules and of claims."""
        return tuple(dict.fromkeys((*self.admission.organizations, *self.groups_from)))

    def resource_name(self, resource: str) -> str:
        """Return what people are told that a resource is: its name, else its URI."""
        described = self.resources.get(resource)
        return resource if described is None else described.name

    @property
    def https(self) -> bool:
        """Tell whether browsers reach the service over TLS."""
        return self.auth_url.startswith("https://")

    @property
    def host(self) -> str:
        """Return the host of AUTH_URL without the port."""
        return host_of(self.auth_url)
