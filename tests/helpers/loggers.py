"""Loggers that other threads may make at any time.

pytest goes through all of them before each part of a test. Whoever begins a transaction in a new
thread makes one: the library logs each thread's transactions under a name of their own.
"""

import logging


class Loggers(dict):
    """Loggers by name, of which one may go through those that there were in the beginning."""

    def values(self):
        return list(super().values())


def pytest_configure():
    manager = logging.Logger.manager
    manager.loggerDict = Loggers(manager.loggerDict)
