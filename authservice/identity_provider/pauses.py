"""Rate limits of the provider: until the moment that it names, no request is sent."""

from time import monotonic

from authservice.httpclient import Client, Request, Response
from authservice.identity_provider import OutageError
from authservice.identity_provider.provider_calls import ProviderCalls


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
