"""From what GitHub says of a person to a profile; everything it says is checked first."""

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from authservice.httpclient import Response
from authservice.identity_provider import SignInFailedError
from authservice.identity_provider.provider_calls import json_body, no_user_info, parsed
from authservice.services.people.shown_text import is_blank
from authservice.services.people.users import LONGEST_ADDRESS, LONGEST_NAME, Profile

_FORBIDDEN = 403
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
        username=_text(account.get("login")) or None,
    )


def _account_id(value: object) -> str:
    # It identifies the account, so an empty one would fit all people.
    number = account_number(value)
    if number is None:
        raise no_user_info("the account has no id")
    return number


def account_number(value: object) -> str | None:
    """Return the number of a person, an organization or a team; None where it is none."""
    # True is an int in Python.
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < _ID_LIMIT:
        return None
    return str(value)


def primary_address(known: Iterable[EmailAddress]) -> str | None:
    """Return the primary address if it is verified."""
    return next((each.email for each in known if each.primary and each.verified), None)


def verified_address(known: Iterable[EmailAddress]) -> str | None:
    """Return the primary address if it is verified, else another that is, else None.

    The one on the public profile is not read: GitHub does not say that it is verified.
    """
    verified = [address for address in known if address.verified]
    return max(verified, key=lambda address: address.primary).email if verified else None


def _is_address(value: object) -> bool:
    if not isinstance(value, str) or not value.isprintable() or " " in value:
        return False
    if len(value) > LONGEST_ADDRESS:
        return False
    local, _, domain = value.rpartition("@")
    return bool(local and domain)


def _https(value: object) -> str | None:
    if not isinstance(value, str) or not value.startswith("https://") or not value.isprintable():
        return None
    return value


def _text(value: object) -> str:
    """Return a text without what a database cannot hold: control characters and lone surrogates.

    It is cut if it is longer than any name. A text without a visible character becomes empty.
    """
    if not isinstance(value, str):
        return ""
    text = "".join(c for c in value if unicodedata.category(c) not in {"Cc", "Cs"}).strip()
    text = text[:LONGEST_NAME].strip()
    return "" if is_blank(text) else text


def _says_suspended(answer: object) -> bool:
    return isinstance(answer, dict) and "suspended" in str(answer.get("message")).lower()


def _suspended() -> SignInFailedError:
    return SignInFailedError("account_suspended", "the provider has suspended the account")
