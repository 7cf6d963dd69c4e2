"""What the application is made of: built once at start, the same for every request."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from authservice.crypto.server_secret import ServerSecret
from authservice.db import Database
from authservice.identity_provider import IdentityProvider
from authservice.oauth.backchannel_logout import BackchannelLogout
from authservice.services.signing_keys import SigningKeys
from authservice.services.upkeep import Upkeep
from authservice.settings import AuthSettings
from authservice.web.cookies import Cookies
from authservice.web.origins import Origins
from authservice.web.request_counts import RateLimits
from authservice.web.sign_in_places import SignInPlaces
from authservice.web.silent_proxy import SilentProxy
from authservice.web.static_files import StaticFiles

if TYPE_CHECKING:
    from authservice.metrics.process_metrics import ProcessMetrics
    from authservice.tracing.process_tracing import ProcessTracing


@dataclass(frozen=True, slots=True, kw_only=True)
class Components:
    """The parts that views and requests use."""

    settings: AuthSettings
    database: Database
    secret: ServerSecret
    signing_keys: SigningKeys
    identity_provider: IdentityProvider
    sign_in_places: SignInPlaces
    cookies: Cookies
    origins: Origins
    rate_limits: RateLimits | None
    silent_proxy: SilentProxy
    static_files: StaticFiles
    metadata: bytes
    openapi: bytes
    backchannel_logout: BackchannelLogout
    upkeep: Upkeep
    metrics: "ProcessMetrics | None"
    tracing: "ProcessTracing | None"

    def start(self) -> None:
        """Begin what runs beside the requests."""
        self.backchannel_logout.start()
        self.upkeep.start()
        if self.metrics is not None:
            self.metrics.start()
        if self.tracing is not None:
            self.tracing.start()

    def close(self) -> None:
        """End what runs beside the requests, and close the database."""
        self.backchannel_logout.stop()
        self.signing_keys.wait()
        self.upkeep.stop()
        if self.metrics is not None:
            self.metrics.stop()
        self.database.dispose()
        if self.tracing is not None:
            self.tracing.stop()
