"""The WSGI application, built of the settings."""

import os
from collections.abc import Mapping
from typing import Any

from pyramid.config import Configurator

from authservice import start
from authservice.compact_json import compact
from authservice.db import Database
from authservice.oauth import metadata
from authservice.oauth.backchannel_logout import BackchannelLogout
from authservice.services.upkeep import Upkeep
from authservice.settings import SettingsError, load_settings
from authservice.shown_text import settled
from authservice.web import openapi
from authservice.web.components import Components
from authservice.web.cookies import Cookies
from authservice.web.origins import Origins
from authservice.web.static_files import StaticFiles
from authservice.web.texts import DOMAIN


def application(ini: Mapping[str, str]) -> Any:  # noqa: ANN401  (a Pyramid router)
    """Return the WSGI application; raises SystemExit with the reason where it may not serve."""
    try:
        settings = load_settings(ini, os.environ)
    except SettingsError as error:
        raise SystemExit(f"authservice: {error}") from None
    tracing = start.tracing()
    database = start.open_checked_database(
        settings, Database if tracing is None else tracing.database
    )
    secret = start.server_secret(settings, database)
    keys = start.signing_keys(settings, database, secret)
    cookies = Cookies(settings, secret)
    backchannel_logout = BackchannelLogout(settings, database, keys)
    upkeep = Upkeep(database)
    metrics = start.metrics(settings, database, keys)
    jinja2 = {
        "jinja2.undefined": "strict",
        "jinja2.i18n.domain": DOMAIN,
        "jinja2.filters": {"settled": settled},
    }
    config = Configurator(settings={**ini, **jinja2})
    config.registry.components = Components(
        settings=settings,
        database=database,
        secret=secret,
        signing_keys=keys,
        identity_provider=start.identity_provider(settings),
        cookies=cookies,
        origins=Origins(settings),
        static_files=StaticFiles(settings.branding),
        metadata=_prebuilt(metadata.document(settings)),
        openapi=_prebuilt(openapi.document(settings, cookies)),
        backchannel_logout=backchannel_logout,
        upkeep=upkeep,
        metrics=metrics,
        tracing=tracing,
    )
    config.include("authservice.web")
    backchannel_logout.start()
    upkeep.start()
    if metrics is not None:
        metrics.start()
    if tracing is not None:
        tracing.start()
    return config.make_wsgi_app()


def _prebuilt(document: dict[str, Any]) -> bytes:
    return compact(document).encode()
