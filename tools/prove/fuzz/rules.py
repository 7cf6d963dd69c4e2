"""What holds for the answer to any request, and for every line that is logged meanwhile."""

import logging
import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from schemathesis import Response

from authservice.logs import JSONLines
from tools.prove.fuzz.service import BYE, ORIGIN, REDIRECT_URI, Held

# Whatever of this stands in a page unescaped is a script in the making.
CANARY = "zq7<i>\"'zq8"
ELSEWHERE = "evil.example"

_OF_OURS = re.compile(r"http://(localhost|127\.0\.0\.1|\[::1\]|[a-z0-9.-]+\.localhost)(:\d+)?(/|$)")
_TARGETS = re.compile(r"<(?:form|a|meta|link|script|img|iframe|base)\b[^>]*", re.IGNORECASE)
_ADDRESS = re.compile(r'\b(?:action|href|src|content)="([^"]*)"', re.IGNORECASE)
# What is sent as <i>, or between quotes of either kind.
_UNESCAPED = re.compile(r"""<i>|zq7[^\s"']*["']\S*zq8""")
_PERSONAL = ("local-developer@", "Local Developer")


def broken_by(answer: Response, untold: set[str]) -> Iterator[str]:
    """Give a sentence for each rule that an answer breaks."""
    if answer.status_code >= 500:
        yield f"status {answer.status_code}"
    text = answer.content.decode("utf-8", "replace")
    headers = {name: ", ".join(values) for name, values in answer.headers.items()}
    head = "\n".join(headers.values())
    if "zq7=1" in head:
        yield "a header holds a line break of the request"
    if any(secret in text or secret in head for secret in untold):
        yield "an answer holds what is another user's or a secret"
    location = headers.get("location")
    if location and not _leads_home(location):
        yield f"a redirect leads to {urlsplit(location).netloc or location!r}"
    if headers.get("content-type", "").startswith("text/html"):
        yield from _broken_by_page(text, headers.get("content-security-policy", ""))
    if headers.get("x-content-type-options") != "nosniff":
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
