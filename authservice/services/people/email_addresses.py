"""E-mail addresses as they are stored: folded, with a placeholder for an unverified one."""

import string

_FOLDING = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
# No one can ever own a name below .invalid (RFC 2606, section 2).
_STAND_INS = "@unverified.invalid"


def folded(address: str) -> str:
    """Return an address with its ASCII letters in lower case.

    Other letters have no unique lower case: in Unicode that of the Kelvin sign (U+212A) is a k,
    and an address with a k belongs to another person.
    """
    return address.translate(_FOLDING)


def stand_in(provider_id: str, account_id: str) -> str:
    """Return what is stored for an account without a verified address."""
    return folded(f"{provider_id}-{account_id}{_STAND_INS}")


def stand_in_without_account(user_id: str) -> str:
    """Return what is stored for a user without an account."""
    return folded(f"{user_id}{_STAND_INS}")


def is_stand_in(address: str) -> bool:
    """Tell whether an address is such a placeholder, which reaches no one."""
    return folded(address).endswith(_STAND_INS)
