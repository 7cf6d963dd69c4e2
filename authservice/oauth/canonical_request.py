"""oauthlib's request, made of parameters that have been read and checked before.

oauthlib would parse an encoded form once more, and look for repeated names at every question.
"""

from oauthlib.common import Request

from authservice.oauth.parameters import Parameters
from authservice.oauth.server_context import ServerContext

# What oauthlib sets up for a request without an address, a body and headers.
_EMPTY = vars(Request("", http_method="POST"))


class CanonicalRequest(Request):  # type: ignore[misc]  # oauthlib has no types
    """A request that holds each known parameter once, and what it is answered with."""

    duplicate_params: tuple[str, ...] = ()
    uri_query = ""
    scopes: list[str]

    def __init__(self, context: ServerContext, sent: Parameters) -> None:
        """Take what the request works with, and its parameters."""
        self.__dict__.update(_EMPTY)
        self._params = {**_EMPTY["_params"], **sent.values}
        self.context = context
        self.sent = sent
        if "scope" in sent.values:
            self.scopes = sent.values["scope"].split()
