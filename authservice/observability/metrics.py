"""Numbers for Prometheus, on an address of their own; nothing of this is imported unless wanted."""

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server
from prometheus_client.multiprocess import MultiProcessCollector

from authservice import events
from authservice.events import (
    CodeReplayed,
    Event,
    RefreshTokenReplayed,
    SignedIn,
    SignedOut,
    SignInFailed,
    SignInRefused,
    TokenIssued,
    TokenRefused,
)
from authservice.services.upkeep.recurring import Recurring
from authservice.settings.version import __version__

# The server that adds up what its workers measure needs neither of these.
if TYPE_CHECKING:
    from authservice.database.database import Database
    from authservice.services.keys.signing_keys import SigningKeys

# Most answers take a millisecond; a sign-in may wait ten seconds for the identity provider.
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
# How often what no event tells is looked up, in seconds.
_INTERVAL = 60.0
_SUCCESS = "success"
_OTHER = "other"
_NOT_ADMITTED = "not_admitted"
# The provider may send any error, and a stranger may forge it; each value is a time series.
_SIGN_IN_ERRORS = {
    "access_denied",
    "account_not_linked",
    "account_suspended",
    "admission_changed",
    "email_not_verified",
    "invalid_code",
    "no_code",
    _NOT_ADMITTED,
    "provider_unavailable",
    "state_mismatch",
    "unable_to_get_user_info",
}


class Instruments:
    """Every metric of one process, with its labels and what it counts."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.request_duration = Histogram(
            "authservice_http_request_duration_seconds",
            "Answered requests, by how long the answer took",
            ["method", "route", "status"],
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.sign_ins = self._counter(
            "authservice_sign_ins", "Finished sign-ins; result is success or an error", "result"
        )
        self.sign_outs = self._counter(
            "authservice_sign_outs", "Sessions that ended before their time"
        )
        self.token_requests = self._counter(
            "authservice_token_requests",
            "Token requests; result is success or an error of OAuth",
            "grant_type",
            "result",
        )
        self.replays = self._counter(
            "authservice_replays", "Codes and refresh tokens that came again", "kind"
        )
        self.rate_limit_hits = self._counter(
            "authservice_rate_limit_hits",
            "Refused requests; limit is the name of a route, begun_sign_ins, client or failures",
            "limit",
        )
        self.database_wait = Histogram(
            "authservice_database_wait_seconds",
            "Writing transactions, by how long they waited for their turn",
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.key_created = Gauge(
            "authservice_signing_key_created_timestamp_seconds",
            "When the key that signs was made",
            ["alg"],
            registry=self.registry,
            # All workers see the same keys, some a moment later.
            multiprocess_mode="max",
        )
        self.provider_questions_left = Gauge(
            "authservice_provider_questions_left",
            "Questions about an organization that the provider still takes of the App in this hour",
            ["organization"],
            registry=self.registry,
            # Workers share them, and each knows what its own last answer said.
            multiprocess_mode="mostrecent",
        )
        build = Gauge(
            "authservice_build_info",
            "Always 1; its label is the version of the service",
            ["version"],
            registry=self.registry,
            # Of several workers, too, it is 1.
            multiprocess_mode="max",
        )
        build.labels(__version__).set(1)

    def count(self, event: Event) -> None:
        """Count what the event log says: metrics and events cannot tell different stories."""
        match event:
            case SignedIn():
                self.sign_ins.labels(_SUCCESS).inc()
            case SignInFailed():
                error = event.error if event.error in _SIGN_IN_ERRORS else _OTHER
                self.sign_ins.labels(error).inc()
            case SignInRefused():
                self.sign_ins.labels(_NOT_ADMITTED).inc()
            case SignedOut():
                self.sign_outs.inc()
            case TokenIssued():
                self.token_requests.labels(event.grant_type, _SUCCESS).inc()
            case TokenRefused():
                self.token_requests.labels(event.grant_type or _OTHER, event.error).inc()
            case CodeReplayed():
                self.replays.labels("code").inc()
            case RefreshTokenReplayed():
                self.replays.labels("refresh_token").inc()

    def _counter(self, name: str, documentation: str, *labels: str) -> Counter:
        return Counter(name, documentation, labels, registry=self.registry)


class Exposition:
    """Answers with the metrics of a registry, until it is closed."""

    def __init__(self, address: tuple[str, int], registry: CollectorRegistry) -> None:
        """Listen on host and port; raises OSError when that cannot be."""
        host, port = address
        self._server, self._thread = start_http_server(port, host, registry)

    def close(self) -> None:
        """Leave the address."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def of_all_workers(address: tuple[str, int], folder: str) -> Exposition:
    """Answer with the metrics of every process that writes into a folder, added up."""
    registry = CollectorRegistry()
    MultiProcessCollector(registry, folder)  # type: ignore[no-untyped-call]  # the library's
    return Exposition(address, registry)


class ProcessMetrics:
    """What one process measures, from ``start`` to ``stop``."""

    def __init__(
        self,
        address: tuple[str, int],
        database: "Database",
        keys: "SigningKeys",
        questions_left: Callable[[], Mapping[str, int]],
    ) -> None:
        """Listen at the address; raises OSError when another program listens there.

        ``questions_left`` says by organization what the provider takes of the App in this hour.

        The workers of one server do not listen: they write into files that the server's main
        process adds up.
        """
        self.instruments = Instruments()
        self._keys = keys
        self._database = database
        self._questions_left = questions_left
        self._looking = Recurring("metrics", self._look, database, first=0, interval=_INTERVAL)
        shared = "PROMETHEUS_MULTIPROC_DIR" in os.environ
        self._exposition = None if shared else Exposition(address, self.instruments.registry)

    def start(self) -> None:
        """Begin to measure."""
        self._database.observe_wait = self.instruments.database_wait.observe
        events.observers.append(self.instruments.count)
        self._looking.start()

    def stop(self) -> None:
        """Stop measuring, and close the listening socket."""
        self._looking.stop()
        if self.instruments.count in events.observers:
            events.observers.remove(self.instruments.count)
        self._database.observe_wait = None
        if self._exposition is not None:
            self._exposition.close()

    def _look(self, _ended: object) -> None:
        for organization, left in self._questions_left().items():
            self.instruments.provider_questions_left.labels(organization).set(left)
        for alg, made in self._keys.made.items():
            self.instruments.key_created.labels(alg).set(made.timestamp())
