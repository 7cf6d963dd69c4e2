"""What a person answers a client: remembered as their consent, and older tokens follow it."""

from collections.abc import Collection

from authservice.database.transaction import Transaction
from authservice.models import user
from authservice.oauth import claims
from authservice.oauth.authorize.authorization_request import AuthorizationRequest
from authservice.services.people import consents, person_lock
from authservice.services.tokens import access_tokens


def remember(
    transaction: Transaction,
    authorization_request: AuthorizationRequest,
    user_id: str,
    declined: Collection[str],
) -> None:
    """Remember that a user allows a request without the scopes that they declined.

    The client's access tokens that open what was declined are deleted. Its refresh tokens stay,
    and bring no more than the consent allows.
    """
    client_id = authorization_request.client.client_id
    if declined:
        # Waits for tokens that are just being issued, which are to be found below.
        person_lock.claim(transaction.connection, user.c.id == user_id)
    granted = authorization_request.without(declined).consent_scopes
    consents.grant(
        transaction, client_id, user_id, granted, declined, authorization_request.resources
    )
    if declined:
        access_tokens.delete_holding(
            transaction.connection, user_id, client_id, declined, claims.of_scopes(declined)
        )
