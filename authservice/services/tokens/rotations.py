"""The refresh tokens that a family exchanged within the grace, as its row holds them.

There are several, since a successor may be used while its predecessor is still retried. Beyond
the last eight the one dropped last is kept without its successor: until its grace is over, a token
that is not here may be one that was dropped.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from authservice.crypto.compact_json import compact

MOST = 8
_EPOCH = datetime.fromtimestamp(0, UTC)
_MILLISECOND = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class Rotation:
    """The digest of an exchanged token, when that was, and its successor, sealed."""

    token: str
    at: datetime
    successor: str | None


def load(text: str | None) -> tuple[Rotation, ...]:
    """Return the rotations of a row, newest first."""
    if text is None:
        return ()
    return tuple(
        Rotation(token, _EPOCH + at * _MILLISECOND, successor)
        for token, at, successor in json.loads(text)
    )


def dump(rotations: Sequence[Rotation]) -> str:
    """Return what a row holds of rotations."""
    return compact(
        [[each.token, (each.at - _EPOCH) // _MILLISECOND, each.successor] for each in rotations]
    )


def followed(rotations: Sequence[Rotation], new: Rotation, since: datetime) -> list[Rotation]:
    """Return the rotations with one more, of those that were made since the grace began."""
    within = [new, *(each for each in rotations if each.at >= since)]
    return [*within[:MOST], *(replace(each, successor=None) for each in within[MOST : MOST + 1])]


def last_dropped(rotations: Sequence[Rotation]) -> datetime | None:
    """Return when the one was exchanged that was dropped last; None when none was."""
    return next((each.at for each in rotations if each.successor is None), None)
