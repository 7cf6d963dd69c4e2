"""The stored tables, one file each. Importing this package makes the metadata complete."""

from authservice.models.account import account
from authservice.models.admission.admission_state import admission_state
from authservice.models.admission.pinned_name import pinned_name
from authservice.models.admission.provider_event import provider_event
from authservice.models.admission.removed_account import removed_account
from authservice.models.base import metadata
from authservice.models.jwks import jwks
from authservice.models.logout_notice import logout_notice
from authservice.models.oauth_access_token import oauth_access_token
from authservice.models.oauth_client import oauth_client
from authservice.models.oauth_consent import oauth_consent
from authservice.models.oauth_refresh_token import oauth_refresh_token
from authservice.models.pinned_provider import pinned_provider
from authservice.models.session import session
from authservice.models.session_participant import session_participant
from authservice.models.user import user
from authservice.models.verification import verification

__all__ = [
    "account",
    "admission_state",
    "jwks",
    "logout_notice",
    "metadata",
    "oauth_access_token",
    "oauth_client",
    "oauth_consent",
    "oauth_refresh_token",
    "pinned_name",
    "pinned_provider",
    "provider_event",
    "removed_account",
    "session",
    "session_participant",
    "user",
    "verification",
]
