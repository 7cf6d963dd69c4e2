"""The metrics of several workers, added up and answered by the process that started them."""

import os
import shutil
import tempfile
from collections.abc import Mapping

from granian.server import MPServer

from authservice.settings import METRICS_MISSING, load_metrics_address


def measure(server: MPServer, settings: Mapping[str, str]) -> None:
    """Let the workers write down what they measure, and answer with it as long as they run.

    Raises SystemExit with the reason where that cannot be.
    """
    address = load_metrics_address(settings)
    if address is None:
        # A setting that cannot be used is refused by the workers, together with all others.
        return
    folder = tempfile.mkdtemp(prefix="authservice-metrics-")
    # Where the workers write. The library looks for it when it is imported.
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
    try:
        from authservice.observability.metrics import of_all_workers  # noqa: PLC0415

        exposition = of_all_workers(address, folder)
    except ModuleNotFoundError:
        raise SystemExit(f"authservice-granian: {METRICS_MISSING}") from None
    except OSError as error:
        shutil.rmtree(folder)
        raise SystemExit(f"authservice-granian: metrics.listen: {error}") from None
    server.on_shutdown(exposition.close)
    server.on_shutdown(lambda: shutil.rmtree(folder))
