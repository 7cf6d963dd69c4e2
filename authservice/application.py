"""The WSGI application, built of the settings."""

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from authservice import start
from authservice.crypto.compact_json import compact
from authservice.database.database import Database
from authservice.identity_provider import IdentityProvider
from authservice.logs import HourlyWarnings
from authservice.oauth import metadata
from authservice.oauth.logout.backchannel import BackchannelLogout
from authservice.services.upkeep.upkeep import Upkeep
from authservice.settings import AuthSettings, SettingsError, load_settings
from authservice.web.openapi import description as openapi
from authservice.web.request.components import Components
from authservice.web.request.cookies import Cookies
from authservice.web.request.counts import RateLimits
from authservice.web.request.origins import Origins
from authservice.web.request.sign_in_places import SignInPlaces
from authservice.web.request.silent_proxy import SilentProxy
from authservice.web.request.static_files import StaticFiles
from authservice.web.router import RouterKind, router

if TYPE_CHECKING:
    from authservice.identity_provider.github_app.github_app import GitHubApp
    from authservice.observability.tracing import ProcessTracing


def application(ini: Mapping[str, str], ini_file: str | None = None) -> Any:  # noqa: ANN401  (a Pyramid router)
    """Return the WSGI application; raises SystemExit with the reason where it may not serve."""
    parts = components(ini, ini_file)
    made = router(RouterKind.of(parts), ini)
    made.registry.components = parts
    parts.start()
    return made


def components(ini: Mapping[str, str], ini_file: str | None = None) -> Components:
    """Return what the application is made of; raises SystemExit as ``application`` does."""
    try:
        settings = replace(load_settings(ini, os.environ), ini_file=ini_file)
    except SettingsError as error:
        raise SystemExit(f"authservice: {error}") from None
    tracing = start.tracing()
    database = start.open_database(settings, Database if tracing is None else tracing.database)
    try:
        start.check_database(settings, database)
        parts = _common_components(settings, database, tracing)
        if not settings.local_mode:
            return parts
        # Imported where it is used: the image of production does not have it.
        from authservice.local_mode.local_components import in_local_mode  # noqa: PLC0415

        return in_local_mode(parts)
    except BaseException:
        # A start that is refused leaves no connection behind.
        database.dispose()
        raise


def _common_components(
    settings: AuthSettings, database: Database, tracing: "ProcessTracing | None"
) -> Components:
    if settings.local_mode:
        # Before the keys are loaded, which go by the clock.
        from authservice.local_mode.follower import turn_clock  # noqa: PLC0415

        turn_clock(database)
    start.pin_provider(settings, database)
    secret = start.server_secret(settings, database)
    keys = start.signing_keys(settings, database, secret)
    cookies = Cookies(settings, secret)
    storage = settings.ratelimit_storage
    logout = BackchannelLogout(settings, database, keys)
    app = start.github_app(settings, database, logout.wake)
    return Components(
        settings=settings,
        database=database,
        secret=secret,
        signing_keys=keys,
        github_app=app,
        rules_in_force=start.rules_in_force(settings, database),
        rule_names=start.rule_names(settings, database),
        identity_provider=_identity_provider(settings, database, app),
        sign_in_places=SignInPlaces(settings.provider.concurrent_sign_ins),
        cookies=cookies,
        origins=Origins(settings),
        rate_limits=None if storage is None else RateLimits(storage),
        silent_proxy=SilentProxy(settings),
        hourly_warnings=HourlyWarnings(),
        static_files=StaticFiles(settings.branding),
        metadata=compact(metadata.document(settings)).encode(),
        openapi=openapi.document(settings, cookies),
        backchannel_logout=logout,
        upkeep=Upkeep(database),
        metrics=start.metrics(settings, database, keys, app),
        tracing=tracing,
    )


def _identity_provider(
    settings: AuthSettings, database: Database, app: "GitHubApp | None"
) -> IdentityProvider:
    if not settings.local_mode:
        return start.identity_provider(settings, database, app)
    # Imported where it is used, as above.
    from authservice.local_mode.local_components import persons_provider  # noqa: PLC0415

    return persons_provider(settings, database)
