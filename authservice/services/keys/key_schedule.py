"""When a key signs, is published and verifies: decided by the stored keys and the clock alone.

A key signs until its successor takes over. That moment is stored with the key when the successor
is made, and lies far enough ahead for all clients to have read the successor by then. So of the
keys of an algorithm the one that ends first signs, and the one without an end comes after it.

``usable`` names the keys whose private half this process can open: each process signs with what
it can, while what is published and verified is the same everywhere.
"""

from collections.abc import Collection, Iterable
from datetime import UTC, datetime, timedelta
from typing import Literal

from authservice.crypto.algorithms import ALGORITHMS
from authservice.services.keys.stored_keys import StoredKey
from authservice.settings import LONGEST_SIGNED_TOKEN

# How long a key is published before it signs. Caches may keep the key set for ten minutes, some
# clients do for an hour, and a process looks for new keys once in a minute.
PUBLISHED_BEFORE = timedelta(hours=2)
# How long a key is published after it signed for the last time: what it signed last has expired
# then, also where a process took a minute to notice or its clock is behind.
PUBLISHED_AFTER = LONGEST_SIGNED_TOKEN + timedelta(hours=1)
# How long it still verifies the hints of clients that sign people out.
VERIFIES_AFTER = timedelta(days=90)

State = Literal["next", "signing", "retiring", "retired", "locked"]
_NEVER = datetime.max.replace(tzinfo=UTC)


def signing(
    keys: Iterable[StoredKey], usable: Collection[str], now: datetime
) -> dict[str, StoredKey]:
    """Return the key that signs now, for each algorithm that has one."""
    candidates = [key for key in keys if key.kid in usable and not has_ended(key, now)]
    candidates.sort(key=_end_then_age, reverse=True)
    return {key.alg: key for key in candidates}


def _end_then_age(key: StoredKey) -> tuple[datetime, datetime, str]:
    return key.expires_at or _NEVER, key.created_at, key.kid


def due(
    keys: Collection[StoredKey], usable: Collection[str], now: datetime, rotation: timedelta
) -> tuple[str, ...]:
    """Return the algorithms that need a new key: theirs are too old, ending or not usable."""
    lasting = {
        key.alg
        for key in keys
        if key.kid in usable and key.expires_at is None and not _is_old(key, now, rotation)
    }
    return tuple(alg for alg in ALGORITHMS if alg not in lasting)


def superseded(
    keys: Iterable[StoredKey], alg: str, now: datetime, rotation: timedelta
) -> list[StoredKey]:
    """Return the keys that sign until the one made now for the algorithm takes over.

    A young key without an end is another secret's, or none would be due: it is left to those who
    can use it.
    """
    return [
        key
        for key in keys
        if key.alg == alg
        and not has_ended(key, now)
        and (key.expires_at is not None or _is_old(key, now, rotation))
    ]


def _is_old(key: StoredKey, now: datetime, rotation: timedelta) -> bool:
    # A key from the future was made by a clock that was wrong: that far off, it counts as old.
    return abs(now - key.created_at) >= rotation


def signs_from(
    key: StoredKey, keys: Iterable[StoredKey], usable: Collection[str], now: datetime
) -> datetime | None:
    """Return when a key that waits takes over: when all that sign before it have ended."""
    before = [
        other.expires_at
        for other in keys
        if other.alg == key.alg
        and other.kid in usable
        and not has_ended(other, now)
        and _end_then_age(other) < _end_then_age(key)
    ]
    known = [end for end in before if end is not None]
    return max(known) if known and len(known) == len(before) else None


def has_ended(key: StoredKey, now: datetime) -> bool:
    """Tell whether a key no longer signs."""
    return key.expires_at is not None and key.expires_at <= now


def published_until(key: StoredKey) -> datetime | None:
    """Return when a key leaves the key set, if that is known."""
    return None if key.expires_at is None else key.expires_at + PUBLISHED_AFTER


def verifies_until(key: StoredKey) -> datetime | None:
    """Return when a key stops to verify hints, if that is known."""
    return None if key.expires_at is None else key.expires_at + VERIFIES_AFTER


def is_published(key: StoredKey, now: datetime) -> bool:
    """Tell whether a key belongs to the key set."""
    until = published_until(key)
    return until is None or now < until


def verifies(key: StoredKey, now: datetime) -> bool:
    """Tell whether hints that the key signed are still accepted."""
    until = verifies_until(key)
    return until is None or now < until


def states(keys: Collection[StoredKey], usable: Collection[str], now: datetime) -> dict[str, State]:
    """Return what each key is for at the moment, by key id."""
    signing_now = signing(keys, usable, now)

    def state_of(key: StoredKey) -> State:
        if has_ended(key, now):
            return "retiring" if is_published(key, now) else "retired"
        if key.kid not in usable:
            return "locked"
        return "signing" if signing_now[key.alg] is key else "next"

    return {key.kid: state_of(key) for key in keys}
