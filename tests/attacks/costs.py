"""Whether the cost of a request grows faster than its length: the least CPU time of some tries."""

import gc
import time
from urllib.parse import unquote

# At the greatest length that is let in: what costs less may grow as it likes, and so may what costs
# less than to read a long text so often. A machine that stalls makes all of it dear.
_WORTH_A_LOOK = 0.01
_READINGS = 3
_LONG_TEXT = "%40" * 21_845
_TRIES = 3
# What grows does so each time, and what a busy machine does not: it is measured until it does not.
_CONFIRMED = 15
# Twice the length may cost twice the time. What grows with its square costs four times as much.
_MOST = 3
# And then each quarter of the second half costs two and a half times as much as one of the first.
# Less is enough, as above: a part of the cost may be in proportion.
_STEEPER = 1.75


def of(app, sent):
    """Return the seconds of CPU that an answer takes; it must not be an error of ours."""
    environ = sent.environ()
    statuses = []
    # What others have left behind is not this request's to clean up.
    gc.disable()
    try:
        began = time.thread_time()
        for _ in app(environ, lambda status, *_: statuses.append(status)):
            pass
        took = time.thread_time() - began
    finally:
        gc.enable()
    assert statuses[0] < "500", sent
    return took


def grows_faster_than_its_length(app, long):
    """Tell whether doubling what a request holds costs far more than double.

    What another process does to this one's caches is seen once, and growth each time.
    """
    sent = long.make(long.longest)
    # One try settles most of them. What is dear is so each time.
    if any(of(app, sent) < _WORTH_A_LOOK for _ in range(_TRIES)):
        return False
    worth_a_look = _READINGS * min(_reading() for _ in range(_TRIES))
    if any(of(app, sent) < worth_a_look for _ in range(_TRIES)):
        return False
    return all(_grows(app, long) for _ in range(_CONFIRMED))


def _reading():
    """Return the seconds of CPU that this machine takes to read a long text at this moment."""
    began = time.thread_time()
    unquote(_LONG_TEXT)
    return time.thread_time() - began


def _grows(app, long):
    def least(length):
        return min(of(app, long.make(length)) for _ in range(_TRIES))

    none, whole = least(0), least(long.longest)
    # Most end here, and the others need not be sent.
    if whole - none <= _WORTH_A_LOOK:
        return False
    return is_growth(none, least(long.longest // 2), least(long.longest * 3 // 4), whole)


def is_growth(none, half, three_quarters, whole):
    """Tell whether the seconds that these parts of the greatest length cost grow with its square.

    A step is none, such as the row that keeps what is too long for an address: it is in one place.
    """
    if whole - none <= max(_WORTH_A_LOOK, _MOST * (half - none)):
        return False
    least = min(three_quarters - half, whole - three_quarters)
    return least > _STEEPER * (half - none) / 2
