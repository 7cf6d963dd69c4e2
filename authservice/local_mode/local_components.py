"""What the application is made of in local mode: that of every mode, and what controls it."""

import logging
from dataclasses import dataclass, fields
from pathlib import Path
from typing import ClassVar

from sqlalchemy.exc import OperationalError

from authservice.database.database import Database
from authservice.local_mode import description
from authservice.local_mode.control import control_token
from authservice.local_mode.follower import Follower
from authservice.local_mode.persons import file
from authservice.local_mode.persons.person import local_developer
from authservice.local_mode.persons.persons import Persons
from authservice.local_mode.persons.provider import PersonsProvider
from authservice.local_mode.request_log.store import RequestLog
from authservice.local_mode.sign_in.places import UnlimitedPlaces
from authservice.services.upkeep import local_mark
from authservice.settings import AuthSettings
from authservice.web.request.auth_request import AuthRequest
from authservice.web.request.components import Components

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalComponents(Components):
    """The parts of local mode."""

    extensions: ClassVar[tuple[str, ...]] = (
        "authservice.local_mode.control.control",
        "authservice.local_mode.sign_in.choice",
        "authservice.local_mode.request_log.tween",
        "authservice.local_mode.pages",
    )

    control_token: str | None
    """Without one the control API answers 401 to every request."""
    identity_provider: PersonsProvider
    request_log: RequestLog
    follower: Follower

    @property
    def persons(self) -> Persons:
        """Return the persons who can sign in."""
        return self.identity_provider.persons

    def start(self) -> None:
        """Start what every application has, and what local mode has beside it."""
        Components.start(self)
        self.follower.start()

    def close(self) -> None:
        """Stop what every application has, and what local mode has beside it."""
        self.follower.stop()
        self.request_log.close()
        Components.close(self)


def local(request: AuthRequest) -> LocalComponents:
    """Return what the application of a request is made of."""
    components: LocalComponents = request.registry.components
    return components


def persons_provider(settings: AuthSettings, database: Database) -> PersonsProvider:
    """Return where people sign in to a database that is marked from now on; raises SystemExit."""
    try:
        local_mark.put(database)
    except OperationalError:
        _log.exception("the database is marked as that of local mode with the first sign-in")
    persons = Persons(
        local_developer(f"{settings.auth_url}/static/local-developer.svg"),
        file.persons_of(settings.local.persons_file),
    )
    callback_url = f"{settings.issuer}/callback/{settings.provider.id}"
    return PersonsProvider(settings.provider.id, callback_url, database, persons)


def in_local_mode(parts: Components) -> LocalComponents:
    """Return the parts of an application that obeys; raises SystemExit."""
    settings, database = parts.settings, parts.database
    common = {field.name: getattr(parts, field.name) for field in fields(Components)}
    wrapped = {
        "openapi": description.with_control(parts.openapi),
        "sign_in_places": UnlimitedPlaces(settings.provider.concurrent_sign_ins),
    }
    request_log = RequestLog(_beside(database))
    follower = Follower(database, parts.signing_keys, parts.backchannel_logout, request_log)
    return LocalComponents(
        **common | wrapped,
        control_token=control_token.of(settings.local, database),
        request_log=request_log,
        follower=follower,
    )


def _beside(database: Database) -> Path | None:
    """Return the file of the request log, or None where the database is no file."""
    return Path(f"{database.url.database}.requests") if database.is_sqlite else None
