"""What is left of a grant when it is redeemed: what the client may have now, however old it is."""

from oauthlib.oauth2.rfc6749.errors import InvalidGrantError

from authservice.oauth.token_grant import TokenGrant
from authservice.services.clients import Client
from authservice.settings import AuthSettings


def of(granted: TokenGrant, client: Client, settings: AuthSettings) -> TokenGrant:
    """Return what the client may still have of a grant; raises InvalidGrantError for nothing."""
    left = granted.within(client.allowed_scopes, settings.resources)
    if not left.scopes:
        raise InvalidGrantError(
            description="The client may no longer have any scope of this grant."
        )
    return left


def to_refresh(granted: TokenGrant, client: Client, settings: AuthSettings) -> TokenGrant:
    """As ``of``, for a refresh token, which is good only while offline_access is left."""
    left = of(granted, client, settings)
    if "offline_access" not in left.scopes:
        raise InvalidGrantError(
            description="offline_access is needed to refresh, and is no longer allowed."
        )
    return left
