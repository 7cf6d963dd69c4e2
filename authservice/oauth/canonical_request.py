"""oauthlib's request, made of parameters that have been read and checked before.

oauthlib would parse an encoded form once more, and look for repeated names at every question.
"""

from collections.abc import Mapping

from oauthlib.common import Request


class CanonicalRequest(Request):  # type: ignore[misc]  # oauthlib has no types
    """A request that holds each known parameter once."""

    duplicate_params: tuple[str, ...] = ()

    def __init__(self, parameters: Mapping[str, str]) -> None:
        """Take the parameters; there is no address and no body to look at."""
        super().__init__("", http_method="POST")
        self._params.update(parameters)
        self.scopes = parameters["scope"].split() if "scope" in parameters else None
