"""The WSGI application, built of the settings: its components, and a router for their kind."""

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from authservice import start_checks
from authservice.database.database import Database
from authservice.database.postgresql import engines as postgresql
from authservice.settings import (
    TRACING_MISSING,
    AuthSettings,
    SettingsError,
    load_settings,
    load_traces_exporter,
)
from authservice.web.request.components import Components
from authservice.web.router import RouterKind, router

if TYPE_CHECKING:
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
    traced = tracing()
    database = _database(settings, traced)
    try:
        start_checks.check_database(settings, database)
        return _kind_of_components(settings)(settings, database, traced)
    except BaseException:
        # A start that is refused leaves no connection behind.
        database.dispose()
        raise


def tracing() -> "ProcessTracing | None":
    """Return what traces this process, or None; raises SystemExit for variables of no use."""
    named = load_traces_exporter(os.environ)
    if named is None:
        return None
    try:
        from authservice.observability.tracing import ProcessTracing  # noqa: PLC0415

        return ProcessTracing(named)
    except ModuleNotFoundError:
        raise SystemExit(f"authservice: {TRACING_MISSING}") from None
    except ValueError as error:
        raise SystemExit(f"authservice: {error}") from None


def _database(settings: AuthSettings, traced: "ProcessTracing | None") -> Database:
    """Return the database of the settings; raises SystemExit where its driver is missing."""
    made = Database if traced is None else traced.database
    try:
        return made(
            settings.database_url,
            synchronous=settings.sqlite_synchronous,
            patience=postgresql.REPLY_SECONDS,
        )
    except ModuleNotFoundError as error:
        raise SystemExit(f"authservice: {error}") from None


def _kind_of_components(settings: AuthSettings) -> type[Components]:
    if not settings.local_mode:
        return Components
    # Imported where it is used: the image of production does not have it.
    from authservice.local_mode.local_components import LocalComponents  # noqa: PLC0415

    return LocalComponents
