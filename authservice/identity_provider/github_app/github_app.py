"""The App as a whole: what it knows, and its threads."""

import logging
import secrets
import threading
from collections.abc import Callable

from sqlalchemy.exc import SQLAlchemyError

from authservice.database.database import Database
from authservice.identity_provider.github_app.app_memberships import AppMemberships
from authservice.identity_provider.github_app.confirmations import Confirmations
from authservice.identity_provider.github_app.installations import Installations
from authservice.identity_provider.github_app.poll import Poll
from authservice.identity_provider.github_app.provider_events import ProviderEvents
from authservice.identity_provider.named_groups import NamedGroups
from authservice.services.admission import pins
from authservice.services.upkeep.recurring import Recurring
from authservice.settings import AuthSettings, GitHubAppSettings

_log = logging.getLogger(__name__)

# How often a process asks the database what waits: events, and the lists when it is time.
_LOOK_SECONDS = 5.0
# Processes that were started together do not ask together.
_FIRST_LOOK_WITHIN = 5000  # milliseconds


class GitHubApp:
    """Answers who is in which group, confirms everyone in the background, and takes events."""

    def __init__(
        self,
        settings: AuthSettings,
        app: GitHubAppSettings,
        database: Database,
        tell_clients: Callable[[], None],
    ) -> None:
        """``tell_clients`` is called when sessions have ended of which clients are to be told."""
        self.webhook_secret = app.webhook_secret
        """What events are signed under; without one none is taken."""
        self._settings = settings
        named = NamedGroups.of(settings)
        installations = Installations(settings.provider, app, settings.outgoing)
        self.memberships = AppMemberships(
            named, installations, lambda: pins.of_settings(database.reader, settings)
        )
        """Whom a sign-in asks."""
        confirmations = Confirmations(settings, database, self.memberships, tell_clients)
        self.poll = Poll(settings, database, self.memberships, confirmations)
        """What reads the lists of members."""
        self._looking = Recurring(
            "events and lists",
            self._look,
            database,
            first=secrets.randbelow(_FIRST_LOOK_WITHIN) / 1000,
            interval=_LOOK_SECONDS,
        )
        self.events = ProviderEvents(
            settings, database, installations, confirmations, self._looking.wake
        )
        """What acts upon events of the provider."""
        self._polls = bool(named)
        self._is_away = False

    def start(self) -> None:
        """Begin to look at intervals for events, and for the lists if settings name any."""
        self._looking.start()

    def stop(self) -> None:
        """End, after the question that is under way."""
        self._looking.stop()
        self.events.stop()

    def _look(self, ended: threading.Event) -> None:
        try:
            self.events.look()
            if self._polls:
                self.poll.look(ended)
            self._is_away = False
        except SQLAlchemyError as error:
            if not self._is_away:
                _log.warning("events and lists of members wait for the database: %s", error)
            self._is_away = True
