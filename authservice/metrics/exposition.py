"""Where Prometheus reads: an HTTP server of its own, in a thread."""

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.multiprocess import MultiProcessCollector


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
