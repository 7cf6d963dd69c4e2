"""Loggers that other threads may make at any time.

pytest goes through all of them before each part of a test. A thread that begins its first
transaction makes one: the library logs the transactions of each thread under a name of its own.
"""

import logging


class Loggers(dict):
    """Loggers by name, of which one may go through those that there were in the beginning."""

    def values(self):
        return list(super().values())


def pytest_configure():
    manager = logging.Logger.manager
    manager.loggerDict = Loggers(manager.loggerDict)
