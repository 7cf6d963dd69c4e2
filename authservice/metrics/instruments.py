"""Every metric, with its labels and what it counts."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from authservice.settings.version import __version__

# Most answers take a millisecond; a sign-in may wait ten seconds for the identity provider.
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Instruments:
    """The metrics of one process."""

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

        build = Gauge(
            "authservice_build_info",
            "Always 1; its label is the version of the service",
            ["version"],
            registry=self.registry,
            # Of several workers, too, it is 1.
            multiprocess_mode="max",
        )
        build.labels(__version__).set(1)

    def _counter(self, name: str, documentation: str, *labels: str) -> Counter:
        return Counter(name, documentation, labels, registry=self.registry)
