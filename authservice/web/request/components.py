"""What the application is made of: built once at start, the same for every request."""

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from authservice import start_checks
from authservice.crypto.compact_json import compact
from authservice.crypto.server_secret import ServerSecret, local_secret
from authservice.database.database import Database
from authservice.identity_provider import IdentityProvider
from authservice.logs import HourlyWarnings
from authservice.oauth import metadata
from authservice.oauth.logout.backchannel import BackchannelLogout
from authservice.services.admission import pins
from authservice.services.clients.client_keys import ClientKeys
from authservice.services.upkeep.upkeep import Upkeep
from authservice.settings import METRICS_MISSING, AuthSettings
from authservice.web.openapi import description as openapi
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


class Components:
    """The parts that views and requests use.

    What most services, or local mode, do without is imported where it is made, to spare memory.
    """

    # Packages that the router includes, beside those that every router has.
    extensions: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self, settings: AuthSettings, database: Database, tracing: "ProcessTracing | None"
    ) -> None:
        """Make the parts; raises SystemExit with the reason where they may not serve."""
        self.settings = settings
        self.database = database
        self.tracing = tracing
        start_checks.pin_provider(settings, database)
        self.secret = self._secret()
        self.signing_keys = start_checks.signing_keys(settings, database, self.secret)
        self.cookies = Cookies(settings, self.secret)
        self.origins = Origins(settings)
        storage = settings.ratelimit_storage
        self.rate_limits = None if storage is None else RateLimits(storage)
        self.silent_proxy = SilentProxy(settings)
        self.hourly_warnings = HourlyWarnings()
        self.static_files = StaticFiles(settings.branding)
        self.metadata = compact(metadata.document(settings)).encode()
        self.openapi = openapi.document(
            settings, self.cookies.session_name, self.cookies.companion_name
        )
        self.client_keys = ClientKeys(settings, database)
        self.backchannel_logout = BackchannelLogout(settings, database, self.signing_keys)
        self.upkeep = Upkeep(database)
        self.github_app = self._github_app(self.backchannel_logout.wake)
        self.rules_in_force = start_checks.rules_in_force(settings, database)
        self.rule_names = self._rule_names()
        self.identity_provider = self._identity_provider()
        self.sign_in_places = SignInPlaces(settings.provider.concurrent_sign_ins)
        self.metrics = self._metrics()

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

    def _secret(self) -> ServerSecret:
        """Return the secret of the settings; local mode makes its own once and keeps it."""
        if self.settings.auth_secret is not None:
            return ServerSecret(self.settings.auth_secret, self.settings.auth_secret_previous)
        return ServerSecret(local_secret(str(self.database.url.database)))

    def _github_app(self, tell_clients: Callable[[], None]) -> "GitHubApp | None":
        """Return the App that asks for members, if the settings have one.

        ``tell_clients`` is called when sessions have ended of which clients are to be told.
        """
        if self.settings.provider.app is None:
            return None
        from authservice.identity_provider.github_app.github_app import GitHubApp  # noqa: PLC0415

        return GitHubApp(self.settings, self.settings.provider.app, self.database, tell_clients)

    def _rule_names(self) -> "RuleNames | None":
        """Return what asks for the numbers of names in rules; in local mode they need none."""
        if self.settings.local_mode:
            return None
        from authservice.identity_provider.rule_names import RuleNames  # noqa: PLC0415

        return RuleNames(self.settings, self.database)

    def _identity_provider(self) -> IdentityProvider:
        """Return where people sign in.

        For their groups it asks the App, where there is one, and else the person.
        """
        from authservice.identity_provider.code_hosting import CodeHosting  # noqa: PLC0415
        from authservice.identity_provider.named_groups import (  # noqa: PLC0415
            MembershipSource,
            NamedGroups,
        )
        from authservice.identity_provider.own_memberships import OwnMemberships  # noqa: PLC0415

        settings, app = self.settings, self.github_app
        callback_url = f"{settings.issuer}/callback/{settings.provider.id}"
        named = NamedGroups.of(settings)
        own = OwnMemberships(named, lambda: pins.of_settings(self.database.reader, settings))
        source: MembershipSource = own if app is None else app.memberships
        groups = source if named else None
        return CodeHosting(settings.provider, callback_url, settings.outgoing, groups=groups)

    def _metrics(self) -> "ProcessMetrics | None":
        """Return what measures this process, or None; raises SystemExit where it cannot listen."""
        if self.settings.metrics_listen is None:
            return None
        try:
            from authservice.observability.metrics import ProcessMetrics  # noqa: PLC0415

            app = self.github_app
            return ProcessMetrics(
                self.settings.metrics_listen,
                self.database,
                self.signing_keys,
                dict if app is None else lambda: app.memberships.installations.hours.left,
            )
        except ModuleNotFoundError:
            raise SystemExit(f"authservice: {METRICS_MISSING}") from None
        except OSError as error:
            raise SystemExit(f"authservice: metrics.listen: {error}") from None
