"""An answer before it is sent."""

import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode


@dataclass
class Answer:
    """Status, body and headers; the content type is one of the headers."""

    status: int
    body: bytes = b""
    headers: list[tuple[str, str]] = field(default_factory=list)


def html_answer(status: int, text: str) -> Answer:
    """Return a page."""
    return Answer(status, text.encode(), [("Content-Type", "text/html; charset=utf-8")])


def json_answer(status: int, content: Any, *headers: tuple[str, str]) -> Answer:
    """Return JSON."""
    content_type = ("Content-Type", "application/json; charset=utf-8")
    return Answer(status, json.dumps(content).encode(), [content_type, *headers])


def form_answer(status: int, content: dict[str, str]) -> Answer:
    """Return form parameters, GitHub's default for tokens."""
    content_type = ("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
    return Answer(status, urlencode(content).encode(), [content_type])


def redirect(address: str, **parameters: str) -> Answer:
    """Return a redirect with the parameters added to the address."""
    separator = "&" if "?" in address else "?"
    return Answer(302, b"", [("Location", f"{address}{separator}{urlencode(parameters)}")])
