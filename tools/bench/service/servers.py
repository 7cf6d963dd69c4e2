"""The server processes of a service: started as an operator starts them, watched, stopped."""

import http.client
import signal
import subprocess
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tools.bench.machine import accounting
from tools.bench.machine.cores import Cores, pinned
from tools.bench.service.checkouts import Checkout
from tools.bench.service.variants import Variant

RESOURCE = "https://api.example.com"
"""What machines get tokens for."""
_STARTING = 60.0  # seconds
_STOPPING = 30.0


class ServerError(Exception):
    """A server did not start."""


@dataclass(frozen=True, slots=True)
class Service:
    """A running service; the database's own server, if there is one, is counted apart."""

    ports: tuple[int, ...]
    pids: tuple[int, ...]
    database_pids: tuple[int, ...]
    start_seconds: float

    @classmethod
    def together(cls, services: Sequence["Service"]) -> "Service":
        """Return several services as one. They may have one database server, which counts once."""
        return cls(
            ports=tuple(port for each in services for port in each.ports),
            pids=tuple(pid for each in services for pid in each.pids),
            database_pids=tuple({pid for each in services for pid in each.database_pids}),
            start_seconds=max(each.start_seconds for each in services),
        )

    def cpu_seconds(self) -> float:
        """Return the CPU time that the service has used."""
        return accounting.cpu_seconds(self.pids)

    def database_cpu_seconds(self) -> float:
        """Return the CPU time that the database's server has used; 0 with SQLite."""
        return accounting.cpu_seconds(self.database_pids)

    def written_bytes(self) -> int:
        """Return what service and database have written to disk."""
        return accounting.written_bytes(self.pids + self.database_pids)

    def memory_bytes(self) -> int:
        """Return the service's memory."""
        return accounting.memory_bytes(self.pids)


@contextmanager
def started(
    variant: Variant,
    ports: Sequence[int],
    cores: Cores,
    environment: dict[str, str],
    log: Path,
    database_pids: tuple[int, ...],
) -> Iterator[Service]:
    """Give a service that answers; ``start_seconds`` is from nothing to its first answer."""
    processes: list[subprocess.Popen[bytes]] = []
    try:
        began = time.perf_counter()
        for command, cpus in _commands(variant, ports, cores, log.parent):
            with log.open("ab") as output, pinned(cpus):
                processes.append(
                    subprocess.Popen(
                        command,
                        cwd=variant.checkout.folder,
                        env=environment,
                        stdin=subprocess.DEVNULL,
                        stdout=output,
                        stderr=output,
                    )
                )
        answering = tuple(ports[: len(processes)])
        seconds = max(
            first_answer(process, port, log) - began
            for process, port in zip(processes, answering, strict=True)
        )
        pids = tuple(process.pid for process in processes)
        yield Service(answering, pids, database_pids, seconds)
    finally:
        stop(processes)


def _commands(
    variant: Variant, ports: Sequence[int], cores: Cores, folder: Path
) -> Iterator[tuple[list[str], set[int]]]:
    """Yield each command that an operator would start, and the CPUs for its processes."""
    program = str(variant.checkout.program(variant.server))
    ini = str(ini_file(variant.checkout, folder, granian=variant.server != "pserve"))
    if variant.server == "pserve":
        # One process each, behind a proxy that shares the requests out, as the load driver does.
        for number, port in enumerate(ports):
            yield [program, ini, f"listen_port={port}"], cores.of_process(number)
    else:
        workers = f"--workers={variant.processes}"
        yield [program, ini, f"listen_port={ports[0]}", workers], set(cores.servers)


def ini_file(checkout: Checkout, folder: Path, *, granian: bool) -> Path:
    """Return local mode's ini file, where the load driver is a proxy to be trusted.

    With ``granian`` it has production's section for that server.
    """
    text = (checkout.folder / "local.ini").read_text(encoding="utf-8")
    mode = "auth.mode = local\n"
    added = "auth.trusted_proxies = 127.0.0.1\n"
    if knows_machines(checkout):
        added += "auth.resources = %(here)s/resources.toml\n"
        (folder / "resources.toml").write_text(f'["{RESOURCE}"]\n', encoding="utf-8")
    text = text.replace(mode, f"{mode}{added}")
    if granian:
        of_production = (checkout.folder / "production.ini").read_text(encoding="utf-8")
        _, heading, rest = of_production.partition("[server:granian]")
        if not heading:
            raise ServerError(f"{checkout.revision} does not know granian: production.ini lacks it")
        section = rest.partition("\n[")[0]
        text += f"\n{heading}{section}\n"
    ini = folder / "served.ini"
    ini.write_text(text, encoding="utf-8")
    return ini


def knows_machines(checkout: Checkout) -> bool:
    """Tell whether a version of the service gives tokens to machines."""
    return (checkout.folder / "authservice/oauth/token/client_credentials.py").is_file()


def first_answer(process: subprocess.Popen[bytes], port: int, log: Path) -> float:
    """Return the moment at which a server has answered; raises ServerError if it does not."""
    deadline = time.perf_counter() + _STARTING
    while time.perf_counter() < deadline and process.poll() is None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_STARTING)
        try:
            connection.request("GET", "/api/health")
            if connection.getresponse().status == http.HTTPStatus.OK:
                return time.perf_counter()
        except OSError:
            time.sleep(0.002)
        finally:
            connection.close()
    written = log.read_text(encoding="utf-8", errors="replace")
    raise ServerError(f"the server did not start:\n{written[-2000:]}")


def stop(processes: Collection[subprocess.Popen[bytes]]) -> None:
    """End processes in order; those that take too long are killed."""
    for process in processes:
        process.send_signal(signal.SIGTERM)
    for process in processes:
        try:
            process.wait(_STOPPING)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
