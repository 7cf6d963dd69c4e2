"""Taking a token back (RFC 7009): a refresh token with its family, an access token by itself."""

from collections.abc import Callable

from sqlalchemy import Connection

from authservice import events
from authservice.events import TokenRevoked
from authservice.services import access_tokens, refresh_tokens
from authservice.services.clients import Client


def revoke(
    reader: Connection, open_writer: Callable[[], Connection], token: str, asking: Client
) -> None:
    """Revoke a token of this client; an unknown one or another client's is left untouched."""
    refresh_token = refresh_tokens.find(reader, token)
    if refresh_token is not None:
        if refresh_token.client_id == asking.client_id:
            writer = open_writer()
            refresh_tokens.revoke_family(writer, refresh_token.family_id)
            _note(writer, asking, refresh_token.user_id)
        return
    access_token = access_tokens.find(reader, token)
    if access_token is not None and access_token.client_id == asking.client_id:
        writer = open_writer()
        access_tokens.delete_one(writer, access_token.id)
        _note(writer, asking, access_token.user.id)


def _note(writer: Connection, asking: Client, user_id: str) -> None:
    events.note(writer, TokenRevoked(client_id=asking.client_id, sub=user_id))
