"""Which parameters each endpoint takes, and how they are read before oauthlib sees any.

oauthlib lets every parameter become an attribute of its request, the last of a repeated name
wins there, and a blank one counts as present. So it is given only what is listed here, each name
once, and no blank (RFC 6749, section 3.1: a parameter without a value is treated as omitted).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from oauthlib.oauth2.rfc6749.errors import InvalidRequestError

AUTHORIZE = frozenset(
    {
        "response_type",
        "client_id",
        "redirect_uri",
        "scope",
        "state",
        "response_mode",
        "code_challenge",
        "code_challenge_method",
        "nonce",
        "display",
        "prompt",
        "max_age",
        "ui_locales",
        "claims_locales",
        "id_token_hint",
        "login_hint",
        "acr_values",
        "claims",
        "request",
        "request_uri",
    }
)
_CLIENT = frozenset({"client_id", "client_secret", "client_assertion", "client_assertion_type"})
TOKEN = _CLIENT | {
    "grant_type",
    "code",
    "redirect_uri",
    "code_verifier",
    "refresh_token",
    "scope",
}
USERINFO = frozenset({"access_token"})
TOKEN_ACTION = _CLIENT | {"token", "token_type_hint"}
NAMES = AUTHORIZE | TOKEN | USERINFO | TOKEN_ACTION
END_SESSION = frozenset(
    {"id_token_hint", "post_logout_redirect_uri", "state", "client_id", "logout_hint", "ui_locales"}
)
# The one parameter that may be given more than once (RFC 8707, section 2).
_RESOURCE = "resource"


@dataclass(frozen=True, slots=True)
class Parameters:
    """The known, non-blank parameters of a request, and the names that came more than once."""

    values: Mapping[str, str]
    repeated: frozenset[str]
    resources: tuple[str, ...] = ()

    @classmethod
    def read(cls, pairs: Iterable[tuple[str, str]], allowed: frozenset[str]) -> "Parameters":
        """Return what an endpoint takes of a request's parameters."""
        values: dict[str, str] = {}
        repeated = set()
        resources: dict[str, None] = {}
        for name, value in pairs:
            if name == _RESOURCE and value:
                resources[value] = None
            if name not in allowed or not value:
                continue
            if name in values:
                repeated.add(name)
            else:
                values[name] = value
        return cls(values, frozenset(repeated), tuple(resources))

    def get(self, name: str) -> str | None:
        """Return a parameter's value, or None when it was not sent."""
        return self.values.get(name)

    def encoded(self) -> str:
        """Return the parameters as a query string, each name once."""
        resources = ((_RESOURCE, resource) for resource in self.resources)
        return urlencode([*self.values.items(), *resources])

    def refuse_repeated(self) -> None:
        """Raise InvalidRequestError that names the parameters given more than once."""
        if self.repeated:
            names = ", ".join(sorted(self.repeated))
            raise InvalidRequestError(description=f"Given more than once: {names}.")

    def require(self, *names: str) -> None:
        """Raise InvalidRequestError that names the first of these that was not sent."""
        for name in names:
            if name not in self.values:
                raise InvalidRequestError(description=f"{name} is missing.")
