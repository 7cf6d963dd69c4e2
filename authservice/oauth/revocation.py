"""Taking a token back (RFC 7009): a refresh token with its family, an access token by itself."""

from collections.abc import Callable

from sqlalchemy import Connection

from authservice.services import access_tokens, refresh_tokens
from authservice.services.clients import Client


def revoke(
    reader: Connection, open_writer: Callable[[], Connection], token: str, asking: Client
) -> None:
    """Revoke a token of this client; an unknown one or another client's is left untouched."""
    refresh_token = refresh_tokens.find(reader, token)
    if refresh_token is not None:
        if refresh_token.client_id == asking.client_id:
            refresh_tokens.revoke_family(open_writer(), refresh_token.family_id)
        return
    access_token = access_tokens.find(reader, token)
    if access_token is not None and access_token.client_id == asking.client_id:
        access_tokens.delete_one(open_writer(), access_token.id)
