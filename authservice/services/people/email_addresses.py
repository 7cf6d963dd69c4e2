"""E-mail addresses as they are stored: folded, with a placeholder for an unverified one."""

from authservice.settings.admission.rules import folded

# No one can ever own a name below .invalid (RFC 2606, section 2).
_STAND_INS = "@unverified.invalid"


def stand_in(provider_id: str, account_id: str) -> str:
    """Return what is stored for an account without a verified address."""
    return folded(f"{provider_id}-{account_id}{_STAND_INS}")


def stand_in_without_account(user_id: str) -> str:
    """Return what is stored for a user without an account."""
    return folded(f"{user_id}{_STAND_INS}")


def is_stand_in(address: str) -> bool:
    """Tell whether an address is such a placeholder, which reaches no one."""
    return folded(address).endswith(_STAND_INS)
