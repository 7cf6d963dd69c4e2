"""Changes to the signing keys, each decided in one transaction that no other can interleave.

The caller makes new keys beforehand: that takes a while, and no other transaction should wait.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import timedelta

from sqlalchemy import Connection

from authservice import clock
from authservice.crypto.algorithms import ALGORITHMS
from authservice.crypto.secret_values import random_id
from authservice.crypto.server_secret import ServerSecret
from authservice.crypto.signing_keys import SigningKey, generate
from authservice.services.keys import key_schedule, stored_keys
from authservice.services.keys.stored_keys import StoredKey


class KeyChangeError(Exception):
    """A change that would leave the service without a key that it needs."""


def new_keys(algs: Iterable[str] = ALGORITHMS) -> dict[str, SigningKey]:
    """Return a new key for each algorithm, stored nowhere yet."""
    return {alg: generate(alg, random_id()) for alg in algs}


def usable_with(keys: Iterable[StoredKey], secret: ServerSecret) -> set[str]:
    """Return the ids of the keys that a secret opens."""
    return {key.kid for key in keys if key.stored_with(secret) is not None}


def add_due(
    connection: Connection,
    new: Mapping[str, SigningKey],
    secret: ServerSecret,
    rotation: timedelta,
    usable: Callable[[Collection[StoredKey]], Collection[str]],
) -> list[SigningKey]:
    """Store those of the new keys whose algorithm still needs one, and return them.

    Of any number of processes that find a key due at the same time one stores its own.
    """
    now = clock.now()
    keys = stored_keys.every_in_turn(connection)
    due = key_schedule.due(keys, usable(keys), now, rotation)
    added = [new[alg] for alg in due if alg in new]
    for key in added:
        ending = key_schedule.superseded(keys, key.alg, now, rotation)
        stored_keys.set_end(connection, ending, now + key_schedule.PUBLISHED_BEFORE)
        stored_keys.add(connection, key, secret, now)
    stored_keys.remove_ended_before(connection, now - key_schedule.VERIFIES_AFTER)
    return added


def rotate(
    connection: Connection,
    new: Mapping[str, SigningKey],
    secret: ServerSecret,
    *,
    immediately: bool,
) -> None:
    """Let new keys follow those of every algorithm, when they have been published or at once.

    Raises KeyChangeError when the secret is another one than the service's, or when the next
    keys are published already and not everything is to change at once.
    """
    now = clock.now()
    keys = stored_keys.every_in_turn(connection)
    _require_the_secret_of_the_service(keys, secret)
    states = key_schedule.states(keys, usable_with(keys, secret), now)
    waiting = [kid for kid, state in states.items() if state == "next"]
    if waiting and not immediately:
        raise KeyChangeError(
            f"the next keys are published already ({', '.join(waiting)}) and will take over;"
            " --immediately makes others that sign at once"
        )
    ending = [key for key in keys if not key_schedule.has_ended(key, now)]
    end = now if immediately else now + key_schedule.PUBLISHED_BEFORE
    stored_keys.set_end(connection, ending, end)
    for key in new.values():
        stored_keys.add(connection, key, secret, now)


def retire(
    connection: Connection,
    kid: str,
    replacements: Mapping[str, SigningKey],
    secret: ServerSecret,
) -> None:
    """Delete a key: nothing that it signed is accepted any more.

    The replacement for its algorithm, if there is one, signs at once when no other key does.
    Raises KeyChangeError when there is no such key, and when nothing would be left to sign with.
    """
    now = clock.now()
    keys = stored_keys.every_in_turn(connection)
    wanted = next((key for key in keys if key.kid == kid), None)
    if wanted is None:
        raise KeyChangeError(f"there is no key {kid}; authservice keys list shows them")
    _require_the_secret_of_the_service(keys, secret)
    left = [key for key in keys if key is not wanted]
    if wanted.alg not in key_schedule.signing(left, usable_with(left, secret), now):
        if wanted.alg not in replacements:
            raise KeyChangeError(
                f"{kid} is the only key that signs with {wanted.alg}; --replace makes another"
            )
        stored_keys.add(connection, replacements[wanted.alg], secret, now)
    stored_keys.remove(connection, kid)


def store_anew(connection: Connection, secret: ServerSecret) -> list[str]:
    """Store under the current secret what the previous one opens, and return the keys' ids."""
    return [
        key.kid
        for key in stored_keys.every(connection)
        if key.stored_with(secret) == "previous" and stored_keys.store_anew(connection, key, secret)
    ]


def _require_the_secret_of_the_service(keys: Collection[StoredKey], secret: ServerSecret) -> None:
    if keys and not usable_with(keys, secret):
        raise KeyChangeError(
            "AUTH_SECRET is not the one that the service stored its keys with; run this command"
            " with the environment of the service"
        )
