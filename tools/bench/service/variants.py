"""What a run measures side by side: each variant is one column of its tables."""

from dataclasses import dataclass

from tools.bench.service.checkouts import Checkout


@dataclass(frozen=True, slots=True)
class Variant:
    """One way in which the service runs."""

    name: str
    checkout: Checkout
    server: str = "pserve"
    database: str = "sqlite"
    synchronous: str = "NORMAL"
    processes: int = 1
    services: int = 1
    """How many there are at the same time, with a database each."""
    users: int = 1

    def facts(self) -> dict[str, str]:
        """Return what a reader of its figures should know."""
        on_sqlite = {"synchronous": self.synchronous} if self.database == "sqlite" else {}
        return {
            "revision": self.checkout.revision,
            "server": self.server,
            "database": self.database,
            **on_sqlite,
            "processes": str(self.processes),
            **({} if self.services == 1 else {"services": str(self.services)}),
            "users": f"{self.users:,}",
        }
