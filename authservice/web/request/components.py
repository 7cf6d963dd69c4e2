"""What the application is made of: built once at start, the same for every request."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from authservice.crypto.server_secret import ServerSecret
from authservice.database.database import Database
from authservice.identity_provider import IdentityProvider
from authservice.logs import HourlyWarnings
from authservice.oauth.logout.backchannel import BackchannelLogout
from authservice.services.admission.state import RulesInForce
from authservice.services.keys.signing_keys import SigningKeys
from authservice.services.upkeep.upkeep import Upkeep
from authservice.settings import AuthSettings
from authservice.web.request.cookies import Cookies
from authservice.web.request.counts import RateLimits
from authservice.web.request.origins import Origins
from authservice.web.request.sign_in_places import SignInPlaces
from authservice.web.request.silent_proxy import SilentProxy
from authservice.web.request.static_files import StaticFiles

if TYPE_CHECKING:
    from authservice.identity_provider.github_app.github_app import GitHubApp
    from authservice.identity_provider.rule_names import RuleNames
    from authservice.observability.metrics import ProcessMetrics
    from authservice.observability.tracing import ProcessTracing


@dataclass(frozen=True, slots=True, kw_only=True)
class Components:
    """The parts that views and requests use."""

    # Packages that the router includes, beside those that every router has.
    extensions: ClassVar[tuple[str, ...]] = ()

    settings: AuthSettings
    database: Database
    secret: ServerSecret
    signing_keys: SigningKeys
    identity_provider: IdentityProvider
    rules_in_force: RulesInForce
    rule_names: "RuleNames | None"
    github_app: "GitHubApp | None"
    sign_in_places: SignInPlaces
    cookies: Cookies
    origins: Origins
    rate_limits: RateLimits | None
    silent_proxy: SilentProxy
    hourly_warnings: HourlyWarnings
    static_files: StaticFiles
    metadata: bytes
    openapi: bytes
    backchannel_logout: BackchannelLogout
    upkeep: Upkeep
    metrics: "ProcessMetrics | None"
    tracing: "ProcessTracing | None"

    @property
    def webhook_secret(self) -> bytes | None:
        """Return what events of the provider are signed under; without one none is taken."""
        return None if self.github_app is None else self.github_app.webhook_secret

    def start(self) -> None:
        """Start the background threads."""
        self.backchannel_logout.start()
        self.upkeep.start()
        if self.rule_names is not None:
            self.rule_names.start()
        if self.github_app is not None:
            self.github_app.start()
        if self.metrics is not None:
            self.metrics.start()
        if self.tracing is not None:
            self.tracing.start()

    def close(self) -> None:
        """Stop the background threads, and close the database."""
        if self.github_app is not None:
            self.github_app.stop()
        if self.rule_names is not None:
            self.rule_names.stop()
        self.backchannel_logout.stop()
        self.signing_keys.wait()
        self.upkeep.stop()
        if self.metrics is not None:
            self.metrics.stop()
        self.database.dispose()
        if self.tracing is not None:
            self.tracing.stop()
