"""The WSGI application, built of the settings."""

import os
from collections.abc import Mapping
from typing import Any

from authservice import start
from authservice.compact_json import compact
from authservice.db import Database
from authservice.oauth import metadata
from authservice.oauth.backchannel_logout import BackchannelLogout
from authservice.services.upkeep import Upkeep
from authservice.settings import SettingsError, load_settings
from authservice.web import openapi
from authservice.web.components import Components
from authservice.web.cookies import Cookies
from authservice.web.origins import Origins
from authservice.web.request_counts import RateLimits
from authservice.web.router import RouterKind, router
from authservice.web.sign_in_places import SignInPlaces
from authservice.web.silent_proxy import SilentProxy
from authservice.web.static_files import StaticFiles


def application(ini: Mapping[str, str]) -> Any:  # noqa: ANN401  (a Pyramid router)
    """Return the WSGI application; raises SystemExit with the reason where it may not serve."""
    parts = components(ini)
    made = router(RouterKind.of(parts), ini)
    made.registry.components = parts
    parts.start()
    return made


def components(ini: Mapping[str, str]) -> Components:
    """Return what the application is made of; raises SystemExit as ``application`` does."""
    try:
        settings = load_settings(ini, os.environ)
    except SettingsError as error:
        raise SystemExit(f"authservice: {error}") from None
    tracing = start.tracing()
    database = start.open_checked_database(
        settings, Database if tracing is None else tracing.database
    )
    start.pin_provider(settings, database)
    secret = start.server_secret(settings, database)
    keys = start.signing_keys(settings, database, secret)
    cookies = Cookies(settings, secret)
    storage = settings.ratelimit_storage
    return Components(
        settings=settings,
        database=database,
        secret=secret,
        signing_keys=keys,
        identity_provider=start.identity_provider(settings),
        sign_in_places=SignInPlaces(settings.provider.concurrent_sign_ins),
        cookies=cookies,
        origins=Origins(settings),
        rate_limits=None if storage is None else RateLimits(storage),
        silent_proxy=SilentProxy(settings),
        static_files=StaticFiles(settings.branding),
        metadata=_prebuilt(metadata.document(settings)),
        openapi=_prebuilt(openapi.document(settings, cookies)),
        backchannel_logout=BackchannelLogout(settings, database, keys),
        upkeep=Upkeep(database),
        metrics=start.metrics(settings, database, keys),
        tracing=tracing,
    )


def _prebuilt(document: dict[str, Any]) -> bytes:
    return compact(document).encode()
