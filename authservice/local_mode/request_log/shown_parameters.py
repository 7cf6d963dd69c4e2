"""The parameters of a request as the log shows them: without what is secret, and not too many."""

import json
import math
import re
from collections.abc import Iterable
from itertools import islice
from typing import Any
from urllib.parse import parse_qsl

MASK = "***"
# More than any sound request has; what a hostile one holds beyond must not cost time.
_MOST = 100
_LONGEST = 2000
LONGEST_TEXT = 8_000
"""How much of a query or a body is looked at."""
# Whatever has such a name is a credential, or opens something as one does.
_SECRET = re.compile(
    r"(?i)secret|passw|token(?!_type)|code(?!_challenge)|assertion|cookie|authorization"
    r"|^(interaction|attempt|state|nonce|request|dpop|proof)$"
)


def shown(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return parameters by name, repeated ones as arrays, with secrets masked."""
    collected: dict[str, list[Any]] = {}
    for name, value in islice(pairs, _MOST):
        collected.setdefault(name[:_LONGEST], []).append(_value(name, value))
    return {name: values[0] if len(values) == 1 else values for name, values in collected.items()}


def of_query(query: str) -> dict[str, Any]:
    """Return the parameters of a query."""
    pairs = query[:LONGEST_TEXT].split("&", _MOST)[:_MOST]
    text = "&".join(pair[:_LONGEST] for pair in pairs)
    return shown(parse_qsl(text, keep_blank_values=True))


def of_body(media_type: str, body: bytes) -> dict[str, Any]:
    """Return the parameters of a form or the members of a JSON object; of another body none."""
    text = body[:LONGEST_TEXT].decode("utf-8", "replace")
    if media_type == "application/x-www-form-urlencoded":
        return of_query(text)
    if media_type == "application/json":
        try:
            content = json.loads(text)
        except (ValueError, RecursionError):
            # None of ours is too long to be whole here.
            return {}
        return shown(content.items()) if isinstance(content, dict) else {}
    return {}


def _value(name: str, value: Any) -> Any:
    if _SECRET.search(name):
        return MASK
    if isinstance(value, str):
        return value[:_LONGEST]
    if isinstance(value, float) and not math.isfinite(value):
        # Python reads NaN and 1e999; JSON, in which they are shown, has neither.
        return str(value)
    # What is deeper has no endpoint of ours, and may have any names.
    return value if isinstance(value, int | float | None) else MASK
