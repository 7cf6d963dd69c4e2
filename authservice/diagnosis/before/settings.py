"""The settings: every problem that would prevent a start, all at once."""

from collections.abc import Iterator
from dataclasses import replace

from authservice.diagnosis.deployment import Written
from authservice.diagnosis.finding import Finding, error
from authservice.settings import Problem
from authservice.settings.sources import ENVIRONMENT_NAMES, INI_KEYS

IN_ORDER = "All settings can be used."

REFUSED = error(
    "settings.refused",
    "The service does not start with this setting.",
    "Change the setting as the cause says, in the ini file or in the environment.",
)

# Their values may hold a password.
_NEVER_SHOWN = {"auth.database_url", "ratelimit.storage", "outgoing.proxy"}


def examine(written: Written, problems: tuple[Problem, ...]) -> Iterator[Finding]:
    """Yield every problem that reading the settings met."""
    for problem in problems:
        name = problem.name.split(" ")[0]
        found = REFUSED.at(problem.name, found=_shown(written, name))
        yield replace(found, cause=f"The service does not start. {problem}")


def _shown(written: Written, name: str) -> str:
    """Return the value that was given; nothing where it could be a secret."""
    keys = {variable: key for key, variable in ENVIRONMENT_NAMES.items()}
    key = keys.get(name, name)
    if key not in INI_KEYS or key in _NEVER_SHOWN:
        return ""
    value = written.environ.get(ENVIRONMENT_NAMES.get(key, ""), "") or written.ini.get(key, "")
    return "" if "@" in value else value.strip()
