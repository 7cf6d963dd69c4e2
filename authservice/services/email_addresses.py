"""E-mail addresses as they are stored: folded, and what stands in for one nobody has verified."""

import string

_FOLDING = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
# Nothing below .invalid is ever anybody's (RFC 2606, section 2).
_STAND_INS = "@unverified.invalid"


def folded(address: str) -> str:
    """Return an address in small letters, of the letters of ASCII alone.

    Others have no one way to be small: to Unicode the Kelvin sign (U+212A) is a k, and an address
    with it would be somebody else's.
    """
    return address.translate(_FOLDING)


def stand_in(provider_id: str, account_id: str) -> str:
    """Return what is stored for an account without a verified address."""
    return folded(f"{provider_id}-{account_id}{_STAND_INS}")


def stand_in_without_account(user_id: str) -> str:
    """Return what is stored for a user to whom no account leads."""
    return folded(f"{user_id}{_STAND_INS}")


def is_stand_in(address: str) -> bool:
    """Tell whether an address stands in for one, so that it is nobody's."""
    return folded(address).endswith(_STAND_INS)
