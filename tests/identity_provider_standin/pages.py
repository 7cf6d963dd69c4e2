"""Answers that many addresses of the API give: a page of a list, and an error."""

from collections.abc import Mapping, Sequence

from tests.identity_provider_standin.answer import Answer, json_answer


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
