"""Every kind of problem, collected from the modules that describe them."""

from types import ModuleType

from authservice.diagnosis import after, before
from authservice.diagnosis.finding import Kind

COMMANDS: dict[str, dict[str, ModuleType]] = {
    "check": before.SUBJECTS,
    "verify": after.SUBJECTS,
}


def kinds(module: ModuleType) -> list[Kind]:
    """Return the kinds of trouble of one subject, in the order in which they are described."""
    return [value for value in vars(module).values() if isinstance(value, Kind)]
