"""The ways in which a call can fail.

An answer with any status code is not a failure. The texts name the method and the address without
userinfo, query and fragment, since those may hold secrets, and quote neither headers nor bodies.
"""

from typing import Self


class SendError(Exception):
    """No valid answer came back; ``reason`` says why, ``method`` and ``url`` for which call."""

    def __init__(self, reason: str, method: str = "", url: str = "") -> None:
        super().__init__(reason, method, url)
        self.reason = reason
        self.method = method
        self.url = url

    def __str__(self) -> str:
        return f"{self.method} {self.url}: {self.reason}".lstrip()

    def at(self, method: str, url: str) -> Self:
        """Return the same failure with the call it belongs to and without its history.

        The history would lead to messages of the libraries below, which quote whole addresses.
        """
        return type(self)(self.reason, method, url)


class InvalidRequestError(SendError):
    """The request cannot be sent as described; nothing left this process."""


class ConnectionFailedError(SendError):
    """The host could not be reached, or its answer broke off or is not valid HTTP."""


class SendTimeoutError(SendError):
    """One of the time limits ran out before the answer was complete."""


class TlsError(SendError):
    """The host could not prove who it is, or no encrypted connection came about."""


class RedirectError(SendError):
    """The answer is a redirect that the client does not follow, to ``location`` if that is one.

    That address stands in no text: its query may hold secrets.
    """

    location = ""

    def at(self, method: str, url: str) -> Self:
        """Return the same failure, as every other one does."""
        error = super().at(method, url)
        error.location = self.location
        return error


class TooManyRedirectsError(RedirectError):
    """The answer was one redirect more than the client follows."""


class RedirectRefusedError(RedirectError):
    """The answer redirects to where the client does not follow."""


class BodyTooLargeError(SendError):
    """The body of the answer, decompressed, is larger than the client takes."""


class AddressRefusedError(SendError):
    """The address policy refuses an address of the host; no connection was made."""
