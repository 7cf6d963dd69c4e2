"""What holds for the answer to any request, and for every line that is logged meanwhile."""

import json
import logging
import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from authservice.logs import JSONLines
from tools.bench.driver.http11 import Answer
from tools.prove.fuzz.service import BYE, ORIGIN, REDIRECT_URI, Held
from tools.prove.fuzz.values import ELSEWHERE

_OF_OURS = re.compile(r"http://(localhost|127\.0\.0\.1|\[::1\]|[a-z0-9.-]+\.localhost)(:\d+)?(/|$)")
_TARGETS = re.compile(r"<(?:form|a|meta|link|script|img|iframe|base)\b[^>]*", re.IGNORECASE)
_ADDRESS = re.compile(r'\b(?:action|href|src|content)="([^"]*)"', re.IGNORECASE)
# What is sent as <i>, or between quotes of either kind.
_UNESCAPED = re.compile(r"""<i>|zq7[^\s"']*["']\S*zq8""")
_PERSONAL = ("local-developer@", "Local Developer")


def broken_by(answer: Answer, untold: set[str]) -> Iterator[str]:
    """Give a sentence for each rule that an answer breaks."""
    if answer.status >= 500:
        yield f"status {answer.status}"
    text = answer.body.decode("utf-8", "replace")
    head = answer.head.decode("latin-1")
    if "\x00" in head or re.search(r"\r(?!\n)|(?<!\r)\n", head) or "zq7=1" in head:
        yield "a header holds a line break of the request"
    if any(secret in text or secret in head for secret in untold):
        yield "an answer holds what is another user's or a secret"
    location = answer.header("Location")
    if location and not _leads_home(location):
        yield f"a redirect leads to {urlsplit(location).netloc or location!r}"
    kind = answer.header("Content-Type")
    if kind.startswith("text/html"):
        yield from _broken_by_page(text, answer.header("Content-Security-Policy"))
    elif kind.startswith("application/json") and text:
        try:
            json.loads(text)
        except ValueError:
            yield "an answer in JSON is none"
    if answer.header("X-Content-Type-Options") != "nosniff":
        yield "an answer lets browsers guess what it is"


def _leads_home(location: str) -> bool:
    return (
        location.startswith((f"{ORIGIN}/", f"{REDIRECT_URI}?", f"{BYE}?"))
        or location == BYE
        or _OF_OURS.match(location) is not None
    )


def _broken_by_page(page: str, policy: str) -> Iterator[str]:
    if _UNESCAPED.search(page):
        yield "a page shows what was sent as a part of itself"
    if "Traceback" in page:
        yield "a page shows how the service works inside"
    if "frame-ancestors 'none'" not in policy or ELSEWHERE in policy:
        yield "a page comes without its policy"
    for tag in _TARGETS.findall(page):
        for address in _ADDRESS.findall(tag):
            lowered = address.strip().lower()
            if lowered.startswith(("javascript:", "data:", "vbscript:")) or (
                (urlsplit(address).hostname or "").endswith(ELSEWHERE)
            ):
                yield f"a page leads to {address[:80]!r}"


class LogRules(logging.Handler):
    """Holds every line against the rules of the log."""

    def __init__(self) -> None:
        # Operators may have every level from this one on.
        super().__init__(logging.INFO)
        self.setFormatter(JSONLines())
        self.lines = 0
        self.broken: list[str] = []
        self.held: Held | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """Look at a record as it would be written."""
        line = self.format(record)
        self.lines += 1
        if "\n" in line or "\r" in line:
            self.broken.append("a line of the log has a line break from outside")
        secrets = self.held.secrets if self.held else set()
        if any(secret in line for secret in secrets):
            self.broken.append(f"the log of {record.name} holds a secret")
        if any(personal in line for personal in _PERSONAL):
            self.broken.append(f"the log of {record.name} names a person")
