"""Whom a client is for, asked whenever it wants tokens: its list counts as it is at that moment."""

from oauthlib.oauth2.rfc6749.errors import InvalidGrantError
from sqlalchemy import Connection

from authservice.oauth.context import ServerContext
from authservice.services.admission import client_rules
from authservice.services.admission.client_rules import Allow

NOT_FOR_USER = "This client is not for this user: no entry of its list of allowed people fits."


def require(context: ServerContext, writer: Connection, allow: Allow, user_id: str) -> None:
    """Refuse tokens for a person whom the client's list does not allow, as the transaction sees it.

    Raises InvalidGrantError. A client without a list is not asked about.
    """
    if not client_rules.admits(writer, context.settings, allow, user_id):
        raise InvalidGrantError(description=NOT_FOR_USER)
