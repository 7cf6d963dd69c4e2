"""A long random history of several processes: no valid token is ever without its published key."""

import random
from contextlib import suppress
from datetime import timedelta

import pytest

from authservice.crypto.jwt import key_id
from authservice.crypto.server_secret import ServerSecret
from authservice.services.keys import key_rotation
from authservice.services.keys.signing_keys import SigningKeys
from authservice.settings import LONGEST_SIGNED_TOKEN

SECRET = ServerSecret(bytes(range(32)))
ROTATION = timedelta(days=3)
# What caches may keep of the key set: max-age and stale-while-revalidate.
CACHED = timedelta(minutes=10)
STEPS = (
    timedelta(seconds=1),
    timedelta(seconds=59),
    timedelta(minutes=7),
    timedelta(hours=1),
    timedelta(hours=5),
    timedelta(days=1),
    timedelta(days=7),
)
ALG = "EdDSA"


class History:
    """Processes on one database, and a relying party that keeps the key set as it may."""

    def __init__(self, database, turned):
        self._random = random.Random(22)
        self._database = database
        self._clock = turned
        self.processes = [self._started() for _ in range(3)]
        self._tokens = []
        self._cache = None

    def _started(self):
        keys = SigningKeys(self._database, SECRET, rotation=ROTATION)
        keys.load()
        return keys

    def step(self):
        self._clock.moment += self._random.choice(STEPS)
        act = self._random.choice(
            [self._sign] * 6 + [self._verify] * 3 + [self._restart, self._rotate]
        )
        act(self._random.randrange(len(self.processes)))
        for process in self.processes:
            process.wait()

    def _restart(self, index):
        self.processes[index] = self._started()

    def _rotate(self, _index):
        with suppress(key_rotation.KeyChangeError), self._database.transaction() as connection:
            key_rotation.rotate(connection, key_rotation.new_keys(), SECRET, immediately=False)

    def _sign(self, index):
        token = self.processes[index].sign({"n": len(self._tokens)}, alg=ALG, typ="JWT")
        self._tokens.append((token, self._clock.moment + LONGEST_SIGNED_TOKEN))

    def _verify(self, index):
        """Let the relying party verify all that is valid with what it keeps of one process."""
        now = self._clock.moment
        if self._cache is None or now - self._cache[1] >= CACHED:
            self._cache = (self.processes[index].document.decode(), now)
        for token, expires_at in self._tokens:
            if expires_at > now:
                assert key_id(token) in self._cache[0]


@pytest.mark.usefixtures("clients_of_all_algs")
def test_a_relying_party_always_has_the_key_of_a_valid_token(database, turnable_clock):
    history = History(database, turnable_clock)

    for _ in range(150):
        history.step()
