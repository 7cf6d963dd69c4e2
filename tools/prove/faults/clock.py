"""The clock, which is set an hour forward and back while the service runs."""

import time
from contextlib import closing
from pathlib import Path

from tools.prove import requests
from tools.prove.caller import Caller
from tools.prove.faults.trial import Found, Service, audited
from tools.prove.outcome import Extent
from tools.prove.people import busy

_ROUNDS: dict[Extent, int] = {"brief": 1, "quick": 2, "long": 100}
_SECONDS: dict[Extent, float] = {"brief": 1, "quick": 2, "long": 5}
_HOUR = 3600


def library() -> Path | None:
    """Return libfaketime, or None where it is not installed."""
    found = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
    return found[0] if found else None


def through(folder: Path) -> tuple[str, ...]:
    """Return the program through which a server goes by the clock in a folder."""
    _set(folder, 0)
    environment = {
        "LD_PRELOAD": library(),
        "FAKETIME_TIMESTAMP_FILE": folder / "clock",
        "FAKETIME_NO_CACHE": 1,
        "FAKETIME_DONT_FAKE_MONOTONIC": 1,
    }
    return ("env", *(f"{name}={value}" for name, value in environment.items()))


def jump(subject: Service, folder: Path, extent: Extent) -> Found:
    """Set the clock to and fro; what was promised at any hour holds in the end.

    People finish what they are doing before each jump: a code is to expire in an hour.
    """
    jumps = 0
    for hours in [1, 0, -1, 0] * _ROUNDS[extent]:
        with busy(subject.deployment, subject.client, subject.ledger, subject.chance):
            time.sleep(_SECONDS[extent])
        _set(folder, hours * _HOUR)
        jumps += 1
        with closing(Caller(subject.deployment.ports, subject.chance)) as caller:
            for cookies in subject.ledger.alive:
                question = requests.session(subject.deployment.host, cookies)
                if requests.content(caller.send(question)) is None:
                    subject.ledger.lost("a session is unknown after a jump of the clock")
    looked_at = audited(subject)
    done = sum(subject.ledger.acknowledged.values())
    figures = f"clock set {jumps} times by an hour: {done:,} steps, {looked_at:,} looked at"
    return Found(figures, [f"clock: {loss}" for loss in subject.ledger.losses])


def _set(folder: Path, seconds: int) -> None:
    # Replaced, so that no process reads half of it.
    written = folder / "clock.new"
    written.write_text(f"{seconds:+d}\n")
    written.rename(folder / "clock")
