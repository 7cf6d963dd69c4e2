"""Rate limits of the provider: until the moment that it names, no request is sent."""

from time import monotonic

from authservice import clock
from authservice.httpclient import Client, Request, Response
from authservice.identity_provider import OutageError
from authservice.identity_provider.provider_calls import ProviderCalls

# What GitHub asks for where it names no moment, and the longest that is believed.
_AT_LEAST, _AT_MOST = 60.0, 3600.0
_LONGEST = 12


class PausedError(OutageError):
    """The provider has had too many questions; ``seconds`` is when it takes the next."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"it takes no question for {seconds:.0f} s")
        self.seconds = seconds


class Pauses:
    """Knows whether the provider is to be left alone, for all threads of a process."""

    def __init__(self) -> None:
        self._until = 0.0

    def calls(self, client: Client, seconds: float) -> ProviderCalls:
        """Return what sends questions for so long, unless there is a pause."""
        return _Calls(client, seconds, self)

    def require_none(self) -> None:
        """Raise PausedError in a pause."""
        left = self._until - monotonic()
        if left > 0:
            raise PausedError(left)

    def begin(self, seconds: float) -> None:
        """Ask nothing for so long."""
        self._until = max(self._until, monotonic() + seconds)


class _Calls(ProviderCalls):
    def __init__(self, client: Client, seconds: float, pauses: Pauses) -> None:
        super().__init__(client, seconds)
        self._pauses = pauses

    def send(self, request: Request) -> Response:
        self._pauses.require_none()
        return super().send(request)

    def limit_error(self, _request: Request, response: Response, said: str) -> OutageError:
        self._pauses.begin(_wait(response))
        return OutageError(said)


def _wait(response: Response) -> float:
    """Return the seconds to wait, as the provider says (RFC 9110, section 10.2.3)."""
    after = _number(response, "Retry-After")
    if after is None:
        reset = _number(response, "X-RateLimit-Reset")
        after = None if reset is None else reset - clock.now().timestamp()
    return _AT_LEAST if after is None else min(max(after, 1.0), _AT_MOST)


def _number(response: Response, header: str) -> float | None:
    text = response.headers.get(header, [""])[0]
    return float(text) if text.isascii() and text.isdecimal() and len(text) < _LONGEST else None
