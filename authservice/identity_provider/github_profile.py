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
_LONGEST_NAME = 200


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


def profile(provider_id: str, account: Mapping[str, Any]) -> Profile:
    """Return the profile of an account, without an address; raises SignInFailedError."""
    account_id = _account_id(account.get("id"))
    return Profile(
        provider_id=provider_id,
        account_id=account_id,
        name=_text(account.get("name")) or _text(account.get("login")) or account_id,
        email=None,
        email_verified=False,
        image=_https(account.get("avatar_url")),
    )


def _account_id(value: object) -> str:
    # Accounts are found by it, so an empty one would be everybody's. True is an int in Python.
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < _ID_LIMIT:
        raise no_user_info("the account has no id")
    return str(value)


def verified_address(known: Iterable[EmailAddress]) -> str | None:
    """Return the primary address if it is verified, else another that is, else None.

    The one on the public profile is not asked for: nobody says that it is verified.
    """
    verified = [address for address in known if address.verified]
    return max(verified, key=lambda address: address.primary).email if verified else None


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

    It is cut where it is longer than anybody's name. One of which nothing can be seen is empty.
    """
    if not isinstance(value, str):
        return ""
    text = "".join(c for c in value if unicodedata.category(c) not in {"Cc", "Cs"}).strip()
    text = text[:_LONGEST_NAME].strip()
    return "" if is_blank(text) else text


def _says_suspended(answer: object) -> bool:
    return isinstance(answer, dict) and "suspended" in str(answer.get("message")).lower()


def _suspended() -> SignInFailedError:
    return SignInFailedError("account_suspended", "the provider has suspended the account")
