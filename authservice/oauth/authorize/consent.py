"""What a person answers a client: remembered as their consent, and older tokens follow it."""

from authservice.database.transaction import Transaction
from authservice.models import user
from authservice.oauth import claims
from authservice.oauth.authorize.authorization_request import AuthorizationRequest
from authservice.services.people import consents, person_lock
from authservice.services.tokens import access_tokens


def remember(
    transaction: Transaction,
    requested: AuthorizationRequest,
    user_id: str,
    allowed: AuthorizationRequest,
) -> None:
    """Remember what a user allows of a request, and that they declined the rest of it.

    The client's access tokens that open what was declined are deleted. Its refresh tokens stay,
    and bring no more than the consent allows.
    """
    client_id, granted = requested.client.client_id, allowed.consent_scopes
    declined = [scope for scope in requested.consent_scopes if scope not in granted]
    closed = [uri for uri in requested.resources if uri not in allowed.resources]
    if declined:
        # Waits for tokens that are just being issued, which are to be found below.
        person_lock.claim(transaction.connection, user.c.id == user_id)
    consents.grant(transaction, client_id, user_id, granted, declined, allowed.resources, closed)
    if declined:
        opened = claims.of_scopes(declined)
        access_tokens.delete_holding(
            transaction.connection, user_id, client_id, declined, opened, closed
        )
