"""A service of a variant: its database, its settings, its commands and its server processes."""

import base64
import json
import secrets
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tools.bench.databases.empty import EmptyDatabase
from tools.bench.machine.cores import Cores
from tools.bench.service.servers import RESOURCE, Service, knows_machines, started
from tools.bench.service.variants import Variant

REDIRECT_URI = "https://app.example.com/callback"


class CommandError(Exception):
    """A command of the service failed."""


class Deployment:
    """What stays the same while servers come and go: local mode, as it is shipped.

    Local mode has no rate limits. All requests come from one address here, which any limit would
    stop within a second. The rest is as in production.
    """

    def __init__(
        self, variant: Variant, folder: Path, database: EmptyDatabase, number: int = 0
    ) -> None:
        """Create the tables in the database, and the other files of the service in the folder.

        If a variant has several services, ``number`` says which of them this is.
        """
        self.variant = variant
        self.database_url = database.url
        cores = Cores.shared_out(variant.processes * variant.services)
        self.cores = cores if variant.services == 1 else cores.alone(number)
        self._database = database
        self._log = folder / "server.log"
        self._ports = free_ports(variant.processes)
        self.host = f"localhost:{self._ports[0]}"
        secret_file = folder / "secret"
        secret_file.write_text(base64.b64encode(secrets.token_bytes(32)).decode(), "ascii")
        self.environment = variant.checkout.environment() | {
            "AUTH_URL": f"http://{self.host}",
            "AUTH_DATABASE_URL": database.url,
            "AUTH_SQLITE_SYNCHRONOUS": variant.synchronous,
            "AUTH_SECRET_FILE": str(secret_file),
        }
        self._command("authservice", "migrate", "--config", "local.ini")

    @property
    def ports(self) -> list[int]:
        """Return the ports for its server processes."""
        return self._ports

    def register_client(self, *flags: str) -> tuple[str, str]:
        """Register a client that has to ask for consent; return its id and its secret."""
        return self._register("--redirect-uri", REDIRECT_URI, *flags)

    def register_machine(self) -> tuple[str, str] | None:
        """Register a machine; return its id and its secret, None where the version knows none."""
        if not knows_machines(self.variant.checkout):
            return None
        return self._register("--machine", "--resource", RESOURCE)

    @contextmanager
    def serving(self) -> Iterator[Service]:
        """Give the service, answering; it is stopped at the end."""
        pids = self._database.server_pids
        with started(
            self.variant, self._ports, self.cores, self.environment, self._log, pids
        ) as service:
            yield service

    def _register(self, *flags: str) -> tuple[str, str]:
        wanted = ("--config", "local.ini", "--name", "Bench", "--json")
        registered = json.loads(self._command("authservice-register", *wanted, *flags))
        return registered["client_id"], registered["client_secret"]

    def _command(self, program: str, *arguments: str) -> str:
        done = subprocess.run(
            [self.variant.checkout.program(program), *arguments],
            cwd=self.variant.checkout.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise CommandError(f"{program} {arguments[0]} failed: {done.stderr.strip()}")
        return done.stdout


def free_ports(number: int) -> list[int]:
    """Return ports of this machine that are free at the moment."""
    probes = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports
