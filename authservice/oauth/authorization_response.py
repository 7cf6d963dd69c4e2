"""The answer to an authorization request: where it goes, and what it carries.

Every answer, an error too, carries ``iss`` (RFC 9207) and the request's ``state``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

RESPONSE_MODES = ("query", "form_post")


@dataclass(frozen=True, slots=True)
class AuthorizationResponse:
    """Parameters for a client's redirect URI, by redirect or by a form that posts itself."""

    redirect_uri: str
    response_mode: str
    parameters: Mapping[str, str]

    @property
    def location(self) -> str:
        """Return the redirect URI with the parameters added to the query it may have."""
        separator = "&" if "?" in self.redirect_uri else "?"
        return f"{self.redirect_uri}{separator}{urlencode(self.parameters)}"


class AuthorizationRefusedError(Exception):
    """An authorization request is answered with an error, at the client's redirect URI."""

    def __init__(self, response: AuthorizationResponse) -> None:
        """Take the answer."""
        super().__init__(response.parameters.get("error"))
        self.response = response
