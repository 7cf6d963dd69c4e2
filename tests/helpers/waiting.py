"""Waiting for what another thread or process does."""

import threading
import time


def until(true):
    """Return as soon as something is true; fail when that takes half a minute."""
    end = time.monotonic() + 30
    while not true():
        if time.monotonic() > end:
            raise AssertionError("it has not happened within 30 seconds")
        threading.Event().wait(0.01)
