"""The parts of the proof that starve the service of something, one thing after the other."""

import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from tools.bench.databases.empty import EmptyDatabase
from tools.prove.faults import clients, clock, disk, postgresql
from tools.prove.faults.trial import Found, LeftOut, service, suffer
from tools.prove.outcome import Extent, Outcome

# Room for the database and for what the load adds to it.
_MEBIBYTES = 64


def on_sqlite(extent: Extent) -> Outcome:
    """Starve the process that serves one SQLite file."""
    return _together(_on_sqlite, extent)


def on_postgresql(extent: Extent) -> Outcome:
    """Take PostgreSQL away from the process that serves."""
    return _together(postgresql.happen, extent)


def _together(
    happen: Callable[[Path, Extent], Iterator[Found | LeftOut]], extent: Extent
) -> Outcome:
    found = []
    left_out = []
    with tempfile.TemporaryDirectory(prefix="prove-") as folder:
        for one in happen(Path(folder), extent):
            if isinstance(one, LeftOut):
                left_out.append(f"{one.name}: {one.why}")
                continue
            sys.stdout.write(f"  {one.figures}\n")
            sys.stdout.flush()
            found.append(one)
    losses = [loss for one in found for loss in one.losses]
    return Outcome("faults", [("faults", len(found))], losses, left_out)


def _on_sqlite(folder: Path, extent: Extent) -> Iterator[Found | LeftOut]:
    for number, fault in enumerate([*disk.faults(extent), *clients.faults(extent)]):
        if fault.lacks:
            yield LeftOut(fault.name, fault.lacks)
            continue
        place = folder / str(number)
        place.mkdir()
        with disk.small(place, _MEBIBYTES) as mounted:
            if fault.happens is disk.full and not mounted:
                yield LeftOut(fault.name, disk.NOT_MOUNTED)
                continue
            with service(place, _database(place), fault.through) as subject:
                yield suffer(subject, fault)
    if clock.library() is None:
        yield LeftOut("clock", "libfaketime is not installed")
        return
    place = folder / "clock"
    place.mkdir()
    with service(place, _database(place), clock.through(place)) as subject:
        yield clock.jump(subject, place, extent)


def _database(folder: Path) -> EmptyDatabase:
    return EmptyDatabase(f"sqlite:///{folder}/service.sqlite")
