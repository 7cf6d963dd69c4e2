"""Where a sign-in leads back to: a pending authorization request, or a first-party application."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from authservice.web.gates.junk_guard import MAX_QUERY
from authservice.web.request.origins import Origins

# In the words of OpenID Connect Core, section 3.1.2.1.
_CHOOSE_ACCOUNT = {"prompt": "select_account"}


class RefusedReturnError(Exception):
    """A return address that is not on a trusted origin."""

    def __init__(self, parameter: str, code: str) -> None:
        self.parameter = parameter
        self.code = code
        self.message = (
            f"Invalid {parameter}: it must be a path here or an address on a trusted origin;"
            f" all such addresses together may have {MAX_QUERY} characters"
        )
        super().__init__(self.message)


@dataclass(frozen=True, slots=True)
class OAuthReturn:
    """Back to the authorization endpoint, with the request that waits."""

    interaction: str

    def parameters(self) -> dict[str, str]:
        """Return the target as parameters of the sign-in page, and for storage."""
        return {"interaction": self.interaction}


@dataclass(frozen=True, slots=True)
class FirstPartyReturn:
    """Back to an application that shares the session."""

    callback_url: str
    error_callback_url: str | None
    new_user_callback_url: str | None

    @classmethod
    def checked(
        cls,
        origins: Origins,
        callback_url: str | None,
        error_callback_url: str | None,
        new_user_callback_url: str | None,
        sender: str | None = None,
    ) -> "FirstPartyReturn":
        """Return the target if every address is allowed; raises RefusedReturnError.

        ``sender`` is the origin of which paths are.
        """
        addresses: list[str | None] = []
        for parameter, code, url in (
            ("callbackURL", "INVALID_CALLBACK_URL", callback_url),
            ("errorCallbackURL", "INVALID_ERROR_CALLBACK_URL", error_callback_url),
            ("newUserCallbackURL", "INVALID_NEW_USER_CALLBACK_URL", new_user_callback_url),
        ):
            allowed = None if url is None else origins.return_address(url, sender)
            addresses.append(allowed)
            length = sum(len(each) for each in addresses if each is not None)
            if (url is not None and allowed is None) or length > MAX_QUERY:
                raise RefusedReturnError(parameter, code)
        return cls(addresses[0] or "/", *addresses[1:])

    @classmethod
    def of_query(cls, origins: Origins, query: Mapping[str, str]) -> "FirstPartyReturn":
        """Return the target that ``parameters`` name; raises RefusedReturnError."""
        return cls.checked(
            origins,
            query.get("callbackURL"),
            query.get("errorCallbackURL"),
            query.get("newUserCallbackURL"),
        )

    def parameters(self) -> dict[str, str]:
        """Return the target as parameters of the sign-in page, and for storage."""
        named = {
            "callbackURL": self.callback_url,
            "errorCallbackURL": self.error_callback_url,
            "newUserCallbackURL": self.new_user_callback_url,
        }
        return {name: url for name, url in named.items() if url is not None}


ReturnTarget = OAuthReturn | FirstPartyReturn


def from_parameters(stored: Mapping[str, str]) -> ReturnTarget:
    """Return a stored target."""
    if "interaction" in stored:
        return OAuthReturn(stored["interaction"])
    return FirstPartyReturn(
        stored["callbackURL"], stored.get("errorCallbackURL"), stored.get("newUserCallbackURL")
    )


def address(target: ReturnTarget, auth_url: str, *, new_user: bool = False) -> str:
    """Return where the browser goes after signing in."""
    if isinstance(target, OAuthReturn):
        return f"{auth_url}/api/auth/oauth2/authorize?{urlencode(target.parameters())}"
    url = target.callback_url
    if new_user and target.new_user_callback_url:
        url = target.new_user_callback_url
    return f"{auth_url}{url}" if url.startswith("/") else url


def sign_in_address(target: ReturnTarget, auth_url: str, *, choose_account: bool = False) -> str:
    """Return the sign-in page from which the browser would go there.

    With ``choose_account`` the identity provider asks first which account it shall be.
    """
    query = target.parameters() | (_CHOOSE_ACCOUNT if choose_account else {})
    return f"{auth_url}/sign-in?{urlencode(query)}"


def chooses_account(query: Mapping[str, str]) -> bool:
    """Tell whether the query of the sign-in page's address asks for ``choose_account``."""
    return all(query.get(name) == value for name, value in _CHOOSE_ACCOUNT.items())


def begin_address(target: FirstPartyReturn, auth_url: str) -> str:
    """Return where the browser begins a sign-in that leads there, without a page of ours."""
    return f"{auth_url}/api/auth/sign-in/begin?{urlencode(target.parameters())}"


def error_address(target: ReturnTarget, auth_url: str, error: str) -> str | None:
    """Return where the browser goes when a sign-in failed; None where a page says so here."""
    if isinstance(target, OAuthReturn) or target.error_callback_url is None:
        return None
    url = target.error_callback_url
    url = f"{auth_url}{url}" if url.startswith("/") else url
    path, hash_sign, fragment = url.partition("#")
    separator = "&" if "?" in path else "?"
    return f"{path}{separator}{urlencode({'error': error})}{hash_sign}{fragment}"
