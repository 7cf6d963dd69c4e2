"""Percentiles of what was measured, never of what was guessed between two values."""

import math
from collections.abc import Sequence


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the smallest value that at least so many percent of all values do not exceed.

    This is the nearest-rank definition. Raises ValueError when there are no values.
    """
    if not values:
        raise ValueError("there is no percentile of nothing")
    rank = math.ceil(percent / 100 * len(values))
    return sorted(values)[max(rank, 1) - 1]
