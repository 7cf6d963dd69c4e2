"""What is left of a grant when it is redeemed: what is still allowed now, however old it is."""

from oauthlib.oauth2.rfc6749.errors import InvalidGrantError
from sqlalchemy import Connection

from authservice.oauth.token_grant import TokenGrant
from authservice.services import consents
from authservice.services.clients import Client
from authservice.settings import AuthSettings

CONSENT_TAKEN_BACK = "The user has taken the consent back since."


def of(
    reader: Connection, granted: TokenGrant, client: Client, settings: AuthSettings
) -> TokenGrant:
    """Return what the client may have, and the person still allows.

    Raises InvalidGrantError where that is nothing.
    """
    resources = [each for each in settings.resources if client.may_have_tokens_for(each)]
    left = granted.within(client.allowed_scopes, resources)
    if not client.skip_consent:
        consent = consents.find(reader, granted.client_id, granted.user_id)
        if consent is None:
            raise InvalidGrantError(description=CONSENT_TAKEN_BACK)
        left = left.within(consent.scopes, consent.resources or ())
    if not left.scopes:
        raise InvalidGrantError(description="No scope of this grant is allowed any longer.")
    return left


def to_refresh(
    reader: Connection, granted: TokenGrant, client: Client, settings: AuthSettings
) -> TokenGrant:
    """As ``of``, for a refresh token, which is good only while offline_access is left."""
    left = of(reader, granted, client, settings)
    if "offline_access" not in left.scopes:
        raise InvalidGrantError(
            description="offline_access is needed to refresh, and is no longer allowed."
        )
    return left
