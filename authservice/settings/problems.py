"""What is wrong with a configuration: every problem named at once, each with its remedy."""

from dataclasses import dataclass


class RefusedError(ValueError):
    """A text that a setting cannot have; the message is the remedy."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One setting that cannot be used, and what to do about it."""

    name: str
    remedy: str

    def __str__(self) -> str:
        """Return the problem as one line."""
        return f"{self.name}: {self.remedy}"


class SettingsError(Exception):
    """The configuration cannot be used; ``problems`` says why, one entry for each setting."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = tuple(problems)
        lines = "".join(f"\n  {problem}" for problem in problems)
        super().__init__(f"the configuration cannot be used:{lines}")
