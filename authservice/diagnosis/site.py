"""The deployed service as its users reach it: over its public address, and without a session.

What an answer says is read here too.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from email.utils import parsedate_to_datetime
from typing import Any, Self
from urllib.parse import urlsplit

from authservice import clock
from authservice.httpclient import (
    Client,
    Method,
    RedirectError,
    Request,
    Response,
    Timeouts,
)

# Codes live for a minute and ID tokens are compared to the second by their clients.
TOO_FAR = timedelta(seconds=60)
FAR = timedelta(seconds=10)

_TOO_MANY_REQUESTS = 429


class TooManyRequestsError(Exception):
    """The site's rate limit is exceeded: it says nothing else for a while."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """An origin; ``callback`` is the address that the identity provider knows of a service.

    ``ca_bundle`` is a PEM file of the authorities to trust instead of the public ones.
    """

    url: str
    callback: str
    ca_bundle: str | None
    client: Client

    @classmethod
    @contextmanager
    def at(cls, url: str, ca_bundle: str | None, *, callback: str = "") -> Iterator[Self]:
        """Give the site with a client that follows no redirect."""
        with Client(
            timeouts=Timeouts(connect=5, read=10, total=15),
            max_redirects=0,
            ca_bundle=ca_bundle,
            user_agent="authservice-verify",
        ) as client:
            yield cls(url=url, callback=callback, ca_bundle=ca_bundle, client=client)

    @property
    def https(self) -> bool:
        """Tell whether the site is reached over TLS."""
        return self.url.startswith("https://")

    @property
    def host(self) -> str:
        """Return the host, IPv6 without its brackets."""
        return urlsplit(self.url).hostname or ""

    @property
    def port(self) -> int:
        """Return the port, also where it is the default one."""
        return urlsplit(self.url).port or (443 if self.https else 80)

    def get(self, path: str, headers: Mapping[str, str] | None = None, **query: str) -> Response:
        """Return the answer to a GET.

        Raises SendError, also for a redirect, and TooManyRequestsError.
        """
        return self._answer(Request(Method.GET, f"{self.url}{path}", headers or {}, query))

    def leads_to(self, path: str) -> str | None:
        """Return where a path with its query redirects to, or None; raises as ``get`` does."""
        try:
            self._answer(Request(Method.GET, f"{self.url}{path}"))
        except RedirectError as error:
            return error.location
        return None

    def post(self, path: str, content: object) -> Response:
        """Return the answer to a POST of JSON without cookies; raises as ``get`` does."""
        body = json.dumps(content).encode()
        return self._answer(Request(Method.POST, f"{self.url}{path}", body=body))

    def _answer(self, request: Request) -> Response:
        response = self.client.send(request)
        if response.status_code == _TOO_MANY_REQUESTS:
            raise TooManyRequestsError(request.base_url)
        return response


def content(response: Response) -> Any:  # noqa: ANN401  (JSON)
    """Return the JSON of an answer, or an empty text when it is none."""
    try:
        return json.loads(response.body)
    except (ValueError, RecursionError):
        return ""


def described(response: Response) -> str:
    """Return what kind of answer it was."""
    kind = ", ".join(response.headers.get("Content-Type", ["no content type"]))
    return f"status {response.status_code}, {kind}"


def clock_ahead(response: Response) -> timedelta | None:
    """Return how far this clock is ahead, to about a second; None where no valid date was sent.

    The answer must have come just now (RFC 9110, section 6.6.1).
    """
    try:
        sent = parsedate_to_datetime(response.headers["Date"][0])
        return clock.now() - sent
    except (KeyError, ValueError, TypeError):
        return None


def in_words(ahead: timedelta) -> str:
    """Return the difference as people say it."""
    seconds = ahead.total_seconds()
    return f"{abs(seconds):.0f} s {'ahead of' if seconds > 0 else 'behind'} the other's"
