"""Whether the cost of a request grows faster than its length: the least CPU time of some tries."""

from prove.costs.sent import cost

# At the greatest length that is let in: what costs less may grow as it likes.
_WORTH_A_LOOK = 0.01
_TRIES = 5
# What grows does so each time, and what a busy machine does not: it is asked until it does not.
_CONFIRMED = 15
# Twice the length may cost twice the time. What grows with its square costs four times as much.
_MOST = 3


def of(app, sent):
    """Return the seconds of CPU that an answer takes; it must not be an error of ours."""
    found = cost(app, sent)
    assert found.status < 500, sent
    return found.seconds


def grows_faster_than_its_length(app, long):
    """Tell whether doubling what a request holds costs far more than double.

    What another process does to this one's caches is seen once, and growth each time.
    """
    if of(app, long.make(long.longest)) < _WORTH_A_LOOK:
        return False
    return all(_grows(app, long) for _ in range(_CONFIRMED))


def _grows(app, long):
    none, half, whole = (
        min(of(app, long.make(length)) for _ in range(_TRIES))
        for length in (0, long.longest // 2, long.longest)
    )
    return whole - none > max(_WORTH_A_LOOK, _MOST * (half - none))
