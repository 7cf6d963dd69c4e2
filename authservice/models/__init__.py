"""The stored tables. Importing this package makes the metadata complete."""

from authservice.models.admission import (
    admission_state,
    pinned_name,
    pinned_provider,
    provider_event,
    removed_account,
)
from authservice.models.client import fetched_keys, oauth_client, oauth_consent
from authservice.models.column_types import metadata
from authservice.models.identity import account, logout_notice, session, session_participant, user
from authservice.models.token import jwks, oauth_access_token, oauth_refresh_token, verification

__all__ = [
    "account",
    "admission_state",
    "fetched_keys",
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
