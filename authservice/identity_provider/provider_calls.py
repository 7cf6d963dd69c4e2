"""The calls that one sign-in makes to the provider, under one time limit together.

A provider that is down or slow must not hold our threads: what fails here is told apart from a
refusal, because trying again later helps.
"""

import json
from datetime import UTC, datetime
from time import monotonic

from authservice.httpclient import Client, Request, Response, SendError, TooManyRedirectsError
from authservice.identity_provider import OutageError, SignInFailedError

_OK = 200
_FORBIDDEN = 403
_TOO_MANY_REQUESTS = 429
_SERVER_ERROR = 500
# Seconds since 1970, up to the year 5138.
_LONGEST_MOMENT = 11


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
        overloaded = _is_overloaded(response)
        if overloaded or response.status_code >= _SERVER_ERROR:
            said = f"{request.base_url}: status {response.status_code}{_resets_at(response)}"
            raise self.limit_error(request, response, said) if overloaded else OutageError(said)
        return response

    def limit_error(self, request: Request, response: Response, said: str) -> SignInFailedError:  # noqa: ARG002  (for others)
        """Return the error for an answer that says a rate limit is exceeded.

        With a token that is its owner's, who may exhaust it at will: it must put nothing off.
        """
        if "Authorization" in request.headers:
            return SignInFailedError("provider_unavailable", said)
        return OutageError(said)


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


def _resets_at(response: Response) -> str:
    """Return what the provider says of when it answers again."""
    reset = response.headers.get("X-RateLimit-Reset", [""])[0]
    if not reset.isdecimal() or len(reset) > _LONGEST_MOMENT:
        return ""
    return f", until {datetime.fromtimestamp(int(reset), UTC):%Y-%m-%dT%H:%M:%SZ}"


def _is_overloaded(response: Response) -> bool:
    """Tell whether we exceeded a rate limit: GitHub says 429, or 403 and one of two headers."""
    if response.status_code != _FORBIDDEN:
        return response.status_code == _TOO_MANY_REQUESTS
    remaining = response.headers.get("X-RateLimit-Remaining", [])
    return remaining == ["0"] or "Retry-After" in response.headers
