"""Waiting for what another thread or process does."""

import threading


def until(true):
    """Return as soon as something is true; fail when that takes half a minute."""
    for _ in range(3000):
        if true():
            return
        threading.Event().wait(0.01)
    raise AssertionError("it has not happened within 30 seconds")
