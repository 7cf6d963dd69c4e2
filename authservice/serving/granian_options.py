"""The section [server:granian] of an ini file, in waitress's names for the same things."""

from collections.abc import Mapping
from dataclasses import dataclass, fields

_LARGEST = {
    "port": 65535,
    "workers": 256,
    "threads": 256,
    "connection_limit": 100_000,
    "max_request_header_size": 1024 * 1024,
}
# The least that granian's HTTP library accepts.
_SMALLEST = {"max_request_header_size": 8192}


@dataclass(frozen=True, slots=True, kw_only=True)
class GranianOptions:
    """Where to listen and how much to take; what stands for one process counts for each worker."""

    host: str
    port: int
    workers: int
    threads: int
    connection_limit: int
    max_request_header_size: int

    @classmethod
    def read(cls, section: Mapping[str, str], *, workers: str | None) -> "GranianOptions":
        """Return the options; raises ValueError that names every problem.

        ``workers`` takes the place of what the section says, unless it is None.
        """
        given = dict(section) if workers is None else {**section, "workers": workers}
        names = [field.name for field in fields(cls)]
        problems = [f"{name} is not an option" for name in given if name not in names]
        problems += [f"{name} is missing" for name in names if not given.get(name)]
        numbers = {name: given.get(name, "") for name in names if name != "host"}
        problems += [
            f"{name} must be a whole number from {_SMALLEST.get(name, 1)} to {_LARGEST[name]}"
            for name, text in numbers.items()
            if text and not _is_number(text, _SMALLEST.get(name, 1), _LARGEST[name])
        ]
        if problems:
            raise ValueError(f"[server:granian]: {'; '.join(problems)}")
        return cls(
            host=given["host"],
            **{name: int(text) for name, text in numbers.items()},
        )


def _is_number(text: str, smallest: int, largest: int) -> bool:
    return (
        text.isascii()
        and text.isdigit()
        and len(text) <= len(str(largest))
        and smallest <= int(text) <= largest
    )
