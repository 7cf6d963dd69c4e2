"""Taking a token back (RFC 7009): a refresh token with its family, an access token by itself."""

from oauthlib.oauth2.rfc6749.errors import OAuth2Error

from authservice.database.transaction import Transaction
from authservice.events import TokenRevoked
from authservice.oauth import parameters
from authservice.oauth.client_authentication import authenticated_client
from authservice.oauth.context import Pairs, ServerContext
from authservice.oauth.parameters import Parameters
from authservice.oauth.protocol_answer import NO_STORE, ProtocolAnswer, error_answer
from authservice.services.clients.clients import Client
from authservice.services.tokens import access_tokens, refresh_tokens


def revoke(context: ServerContext, authorization: str | None, form: Pairs) -> ProtocolAnswer:
    """Return the answer to a revocation request; it says nothing of what the token was."""
    sent = Parameters.read(form, parameters.TOKEN_ACTION)
    try:
        sent.refuse_repeated()
        client = authenticated_client(context, authorization, sent)
        sent.require("token")
    except OAuth2Error as error:
        return error_answer(error)
    _revoke(context, sent.values["token"], client)
    return ProtocolAnswer(200, NO_STORE, "", None)


def _revoke(context: ServerContext, token: str, client: Client) -> None:
    """Revoke a token of this client; an unknown one or another client's is left untouched."""
    refresh_token = refresh_tokens.find(context.reader, context.secret, token)
    if refresh_token is not None:
        if refresh_token.client_id == client.client_id:
            transaction = context.transaction()
            refresh_tokens.revoke_family(transaction.connection, refresh_token.id)
            _note(transaction, client, refresh_token.user_id)
        return
    access_token = access_tokens.find(context.reader, token)
    if access_token is not None and access_token.client_id == client.client_id:
        transaction = context.transaction()
        access_tokens.delete_one(transaction.connection, access_token)
        _note(transaction, client, access_token.user.id)


def _note(transaction: Transaction, client: Client, user_id: str) -> None:
    transaction.note(TokenRevoked(client_id=client.client_id, sub=user_id))
