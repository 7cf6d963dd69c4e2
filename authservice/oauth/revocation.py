"""Taking a token back (RFC 7009): a refresh token with its family, an access token by itself."""

from authservice.database.transaction import Transaction
from authservice.events import TokenRevoked
from authservice.oauth.request import OAuthRequest
from authservice.services.clients.clients import Client
from authservice.services.tokens import access_tokens, refresh_tokens


def revoke(request: OAuthRequest, token: str) -> None:
    """Revoke a token of the client; an unknown one or another client's is left untouched.

    Raises what holds a request back that comes too often. What has not the form of a token costs no
    look-up, and does not count.
    """
    context, client = request.context, request.client
    if not (access_tokens.has_form(token) or refresh_tokens.has_form(token)):
        return
    request.check_rate_limit()
    refresh_token = refresh_tokens.find(context.reader, context.secret, token)
    if refresh_token is not None:
        if refresh_token.family.client_id == client.client_id:
            transaction = context.transaction()
            refresh_tokens.revoke_family(transaction.connection, refresh_token.family.id)
            _note(transaction, client, refresh_token.family.user_id)
        return
    access_token = access_tokens.find(context.reader, token)
    if access_token is not None and access_token.client_id == client.client_id:
        transaction = context.transaction()
        access_tokens.delete_one(transaction.connection, access_token)
        _note(transaction, client, access_token.user.id)


def _note(transaction: Transaction, client: Client, user_id: str) -> None:
    transaction.note(TokenRevoked(client_id=client.client_id, sub=user_id))
