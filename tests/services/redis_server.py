"""A real Redis on a free loopback port, which keeps nothing on disk."""

import os
import signal

import redis

from tests.helpers.parts import program
from tests.helpers.ports import free_port
from tests.helpers.processes import Process


class RedisServer:
    """Can be stopped, frozen and started again at the same address."""

    def __init__(self, folder):
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._folder = folder
        self.start()

    def start(self):
        self._process = Process(
            [
                program("redis-server"),
                *("--port", self.port, "--bind", "127.0.0.1", "--dir", self._folder),
                *("--save", "", "--appendonly", "no"),
            ],
            ready="Ready to accept connections",
        )

    def stop(self):
        self._process.stop()

    def freeze(self):
        """Let it accept connections and answer nothing."""
        os.kill(self._process.pid, signal.SIGSTOP)

    def thaw(self):
        os.kill(self._process.pid, signal.SIGCONT)

    def forget(self):
        """Start all counts again."""
        with redis.Redis.from_url(self.url) as connection:
            connection.flushall()
