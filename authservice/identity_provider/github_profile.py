"""From what GitHub says of a person to a profile; everything it says is checked first."""

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from authservice.httpclient import Response
from authservice.identity_provider import SignInFailedError
from authservice.identity_provider.provider_calls import json_body, no_user_info, parsed
from authservice.services.users import Profile
from authservice.shown_text import is_blank

_FORBIDDEN = 403
# RFC 5321, section 4.5.3.1.3: the path of 256 octets, without its angle brackets.
_LONGEST_ADDRESS = 254
_ID_LIMIT = 2**63


@dataclass(frozen=True, slots=True)
class EmailAddress:
    """One entry of an account's addresses."""

    email: str
    primary: bool
    verified: bool


def person(response: Response) -> Mapping[str, Any]:
    """Return the account that ``/user`` describes; raises SignInFailedError.

    An Enterprise Server says ``suspended_at`` of a suspended account, or refuses its token.
    """
    if response.status_code == _FORBIDDEN and _says_suspended(parsed(response)):
        raise _suspended()
    account = json_body(response)
    if not isinstance(account, dict):
        raise no_user_info("the account is not a JSON object")
    if account.get("suspended_at"):
        raise _suspended()
    return account


def addresses(content: object) -> list[EmailAddress]:
    """Return the entries of ``/user/emails`` that are addresses; raises SignInFailedError."""
    if not isinstance(content, list):
        raise no_user_info("the addresses are not a JSON array")
    return [
        EmailAddress(entry["email"], entry.get("primary") is True, entry.get("verified") is True)
        for entry in content
        if isinstance(entry, dict) and _is_address(entry.get("email"))
    ]


def profile(provider_id: str, account: Mapping[str, Any], known: Iterable[EmailAddress]) -> Profile:
    """Return the profile of an account with these addresses; raises SignInFailedError."""
    address = _chosen(account, list(known))
    return Profile(
        provider_id=provider_id,
        account_id=_account_id(account.get("id")),
        name=_text(account.get("name")) or _text(account.get("login")),
        email=address.email,
        email_verified=address.verified,
        image=_https(account.get("avatar_url")),
    )


def _account_id(value: object) -> str:
    # Accounts are found by it, so an empty one would be everybody's. True is an int in Python.
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < _ID_LIMIT:
        raise no_user_info("the account has no id")
    return str(value)


def _chosen(account: Mapping[str, Any], known: list[EmailAddress]) -> EmailAddress:
    """Return the primary address, else a verified one, else any.

    The one on the public profile stands in when the list is not shown to us; nobody says then
    that it is verified.
    """
    if known:
        return max(known, key=lambda address: (address.primary, address.verified))
    public = account.get("email")
    if not isinstance(public, str) or not _is_address(public):
        raise SignInFailedError("email_not_found", "the account has no address")
    return EmailAddress(public, primary=False, verified=False)


def _is_address(value: object) -> bool:
    if not isinstance(value, str) or not value.isprintable() or " " in value:
        return False
    if len(value) > _LONGEST_ADDRESS:
        return False
    local, _, domain = value.rpartition("@")
    return bool(local and domain)


def _https(value: object) -> str | None:
    if not isinstance(value, str) or not value.startswith("https://") or not value.isprintable():
        return None
    return value


def _text(value: object) -> str:
    """Return a text without what a database cannot hold: control characters and lone surrogates.

    One of which nothing can be seen is empty.
    """
    if not isinstance(value, str) or is_blank(value):
        return ""
    return "".join(c for c in value if unicodedata.category(c) not in {"Cc", "Cs"}).strip()


def _says_suspended(answer: object) -> bool:
    return isinstance(answer, dict) and "suspended" in str(answer.get("message")).lower()


def _suspended() -> SignInFailedError:
    return SignInFailedError("account_suspended", "the provider has suspended the account")
