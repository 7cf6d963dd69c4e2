"""The calls to the provider: under one time limit together, and none until a moment that it names.

A provider that is down or slow must not hold our threads: what fails here is told apart from a
refusal, because trying again later helps.
"""

import json
from collections.abc import Iterator
from datetime import timedelta
from time import monotonic

from authservice import clock
from authservice.httpclient import (
    Client,
    Method,
    Request,
    Response,
    SendError,
    TooManyRedirectsError,
)
from authservice.identity_provider import OutageError, SignInFailedError

_OK = 200
_FORBIDDEN = 403
_TOO_MANY_REQUESTS = 429
_SERVER_ERROR = 500
# Seconds: what GitHub asks for where it names no moment, and the longest that is believed.
_AT_LEAST, _AT_MOST = 60.0, 3600.0
_LONGEST_NUMBER = 11


class MovedError(SignInFailedError):
    """The provider answered with a redirect, which no call follows."""


class ProviderCalls:
    """Sends the requests of one sign-in as long as its time lasts."""

    def __init__(self, client: Client, patience: float) -> None:
        self._client = client
        self._last_start = monotonic() + patience - client.timeouts.total

    def send(self, request: Request) -> Response:
        """Return the answer, also a refusal.

        Raises OutageError, and SignInFailedError for a redirect or a rate limit of a token's owner.
        """
        if monotonic() > self._last_start:
            raise OutageError("no time is left for the next question")
        try:
            response = self._client.send(request)
        except TooManyRedirectsError as error:
            raise MovedError("provider_unavailable", str(error)) from None
        except SendError as error:
            raise OutageError(str(error)) from None
        said = f"{request.base_url}: status {response.status_code}"
        if _is_overloaded(response):
            wait = _wait(response)
            until = clock.now() + timedelta(seconds=wait)
            raise self.limit_error(request, f"{said}, until {until:%Y-%m-%dT%H:%M:%SZ}", wait)
        if response.status_code >= _SERVER_ERROR:
            raise OutageError(said)
        return response

    def limit_error(self, request: Request, said: str, wait: float) -> SignInFailedError:
        """Return the error for an answer that says a rate limit is exceeded, for some seconds.

        With a token that is its owner's, who may exhaust it at will: it must put nothing off.
        """
        if "Authorization" in request.headers:
            return SignInFailedError("provider_unavailable", said, wait)
        return OutageError(said, wait)


def json_body(response: Response) -> object:
    """Return the JSON of a 200; raises SignInFailedError for any other answer."""
    if response.status_code != _OK:
        raise no_user_info(f"status {response.status_code}")
    content = parsed(response)
    if content is None:
        raise no_user_info("the answer is not JSON")
    return content


def parsed(response: Response) -> object:
    """Return the JSON of an answer with any status, or None when it is none."""
    try:
        return json.loads(response.body)
    except (ValueError, RecursionError):
        return None


def no_user_info(reason: str) -> SignInFailedError:
    """Return the error of a provider that does not say who signed in."""
    return SignInFailedError("unable_to_get_user_info", reason)


def _is_overloaded(response: Response) -> bool:
    """Tell whether we exceeded a rate limit: GitHub says 429, or 403 and one of two headers."""
    if response.status_code != _FORBIDDEN:
        return response.status_code == _TOO_MANY_REQUESTS
    remaining = response.headers.get("X-RateLimit-Remaining", [])
    return remaining == ["0"] or "Retry-After" in response.headers


def _wait(response: Response) -> float:
    """Return the seconds to wait, as the provider says (RFC 9110, section 10.2.3)."""
    after = _number(response, "Retry-After")
    if after is None:
        reset = _number(response, "X-RateLimit-Reset")
        after = None if reset is None else reset - clock.now().timestamp()
    return _AT_LEAST if after is None else min(max(after, 1.0), _AT_MOST)


def _number(response: Response, header: str) -> float | None:
    text = response.headers.get(header, [""])[0]
    is_number = text.isascii() and text.isdecimal() and len(text) <= _LONGEST_NUMBER
    return float(text) if is_number else None


class Pauses:
    """Knows whether the provider is to be left alone, for all threads of a process."""

    def __init__(self) -> None:
        self._until = 0.0

    def calls(self, client: Client, seconds: float) -> ProviderCalls:
        """Return what sends questions for so long, unless there is a pause."""
        return PausingCalls(client, seconds, self)

    def require_none(self) -> None:
        """Raise OutageError in a pause."""
        left = self._until - monotonic()
        if left > 0:
            raise OutageError(f"it takes no question for {left:.0f} s", left)

    def begin(self, seconds: float) -> None:
        """Ask nothing for so long."""
        self._until = max(self._until, monotonic() + seconds)


class PausingCalls(ProviderCalls):
    """Sends nothing in a pause, and begins one where the provider asks for it."""

    def __init__(self, client: Client, seconds: float, pauses: Pauses) -> None:
        super().__init__(client, seconds)
        self._pauses = pauses

    def send(self, request: Request) -> Response:
        """Return the answer as its base does; raises OutageError in a pause too."""
        self._pauses.require_none()
        return super().send(request)

    def limit_error(self, _request: Request, said: str, wait: float) -> OutageError:
        """Begin a pause, for all who ask, and return the error."""
        self._pauses.begin(wait)
        return OutageError(said, wait)


_API_VERSION = "2022-11-28"
PAGE_SIZE = 100


class GitHubApi:
    """Asks what the owner of a token may see, as long as the time of the calls lasts."""

    def __init__(self, calls: ProviderCalls, api_url: str, token: str) -> None:
        self._calls = calls
        self._api_url = api_url
        self._headers = {
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {token}",
            "X-GitHub-Api-Version": _API_VERSION,
        }

    def get(self, path: str, *, known: str | None = None, **query: str) -> Response:
        """Return the answer, also a refusal; raises SignInFailedError for an outage.

        It is 304 where the entity tag ``known`` still holds.
        """
        headers = self._headers if known is None else self._headers | {"If-None-Match": known}
        return self._calls.send(Request(Method.GET, f"{self._api_url}{path}", headers, query))

    def post(self, path: str) -> Response:
        """Return the answer, as ``get`` does."""
        return self._calls.send(Request(Method.POST, f"{self._api_url}{path}", self._headers))

    def pages(self, path: str, most: int, **query: str) -> Iterator[Response]:
        """Give the pages of a list, however many there are no more than ``most``.

        The addresses of further pages are made here: a token follows no link.
        """
        for number in range(1, most + 1):
            response = self.get(path, **query, per_page=str(PAGE_SIZE), page=str(number))
            yield response
            if not has_next(response):
                break


def has_next(response: Response) -> bool:
    """Tell whether another page follows."""
    return any('rel="next"' in link for link in response.headers.get("Link", []))
