"""What many addresses of the API answer: a page, an error, and how much may still be asked."""

import time
from collections.abc import Mapping, Sequence

from tests.identity_provider_standin.answer import Answer, json_answer

HOURLY_CALLS = 5000


def page(address: str, entries: Sequence[object], query: Mapping[str, str]) -> Answer:
    """Return a page of a list, with links to the next one and the last."""
    size = min(int(query.get("per_page", "30")), 100)
    number = int(query.get("page", "1"))
    shown = entries[(number - 1) * size : number * size]
    if number * size >= len(entries):
        return json_answer(200, shown)
    last = -(-len(entries) // size)
    links = f'<{address}?per_page={size}&page={number + 1}>; rel="next"'
    links += f', <{address}?per_page={size}&page={last}>; rel="last"'
    return json_answer(200, shown, ("Link", links))


def error(status: int, message: str) -> Answer:
    """Return an error as the API words them."""
    content = {
        "message": message,
        "documentation_url": "https://docs.github.com/rest",
        "status": str(status),
    }
    return json_answer(status, content)


def rate_limit_headers(remaining: int, hour_began_ago: float = 0.0) -> list[tuple[str, str]]:
    """Return the headers that count the calls of an hour."""
    ends_at = int(time.time() + 3600 - hour_began_ago)  # noqa: TID251  (another host's clock)
    return [
        ("X-RateLimit-Limit", str(HOURLY_CALLS)),
        ("X-RateLimit-Remaining", str(remaining)),
        ("X-RateLimit-Used", str(HOURLY_CALLS - remaining)),
        ("X-RateLimit-Reset", str(ends_at)),
        ("X-RateLimit-Resource", "core"),
    ]
