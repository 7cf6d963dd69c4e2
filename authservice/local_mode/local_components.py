"""What the application is made of in local mode: that of every mode, and what controls it."""

import logging
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from sqlalchemy.exc import OperationalError

from authservice.database.database import Database
from authservice.local_mode import description
from authservice.local_mode.control import control_token
from authservice.local_mode.follower import Follower, turn_clock
from authservice.local_mode.persons import file
from authservice.local_mode.persons.person import local_developer
from authservice.local_mode.persons.persons import Persons
from authservice.local_mode.persons.persons_provider import PersonsProvider
from authservice.local_mode.request_log.store import RequestLog
from authservice.local_mode.sign_in.unlimited_places import UnlimitedPlaces
from authservice.services.upkeep import local_mark
from authservice.settings import AuthSettings
from authservice.web.request.auth_request import AuthRequest
from authservice.web.request.components import Components

if TYPE_CHECKING:
    from authservice.observability.tracing import ProcessTracing

_log = logging.getLogger(__name__)


class LocalComponents(Components):
    """The parts of local mode."""

    extensions: ClassVar[tuple[str, ...]] = (
        "authservice.local_mode.control.control",
        "authservice.local_mode.sign_in.choice",
        "authservice.local_mode.request_log.tween",
        "authservice.local_mode.local_pages",
    )

    identity_provider: PersonsProvider

    def __init__(
        self, settings: AuthSettings, database: Database, tracing: "ProcessTracing | None"
    ) -> None:
        """Make the parts; raises SystemExit as those of every application do."""
        # Before the keys are loaded, which go by the clock.
        turn_clock(database)
        super().__init__(settings, database, tracing)
        self.openapi = description.with_control(self.openapi)
        self.sign_in_places = UnlimitedPlaces(settings.provider.concurrent_sign_ins)
        # Without one the control API answers 401 to every request.
        self.control_token = control_token.of(settings.local, database)
        self.request_log = RequestLog(_beside(database))
        self.follower = Follower(
            database, self.signing_keys, self.backchannel_logout, self.request_log
        )

    @property
    def persons(self) -> Persons:
        """Return the persons who can sign in."""
        return self.identity_provider.persons

    def start(self) -> None:
        """Start what every application has, and what local mode has beside it."""
        super().start()
        self.follower.start()

    def close(self) -> None:
        """Stop what every application has, and what local mode has beside it."""
        self.follower.stop()
        self.request_log.close()
        super().close()

    def _identity_provider(self) -> PersonsProvider:
        """Return where people sign in to a database that is marked from now on."""
        settings = self.settings
        try:
            local_mark.put(self.database)
        except OperationalError:
            _log.exception("the database is marked as that of local mode with the first sign-in")
        persons = Persons(
            local_developer(f"{settings.auth_url}/static/local-developer.svg"),
            file.persons_of(settings.local.persons_file),
        )
        callback_url = f"{settings.issuer}/callback/{settings.provider.id}"
        return PersonsProvider(settings.provider.id, callback_url, self.database, persons)


def local(request: AuthRequest) -> LocalComponents:
    """Return what the application of a request is made of."""
    components: LocalComponents = request.registry.components
    return components


def _beside(database: Database) -> Path | None:
    """Return the file of the request log, or None where the database is no file."""
    return Path(f"{database.url.database}.requests") if database.is_sqlite else None
