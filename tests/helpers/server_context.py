"""What the endpoints of the authorization server work with when no request of a browser came."""

from authservice.oauth.oauth_request import ServerContext


def server_context(components, database, transaction=None):
    """Return the context of one request, which begins its transaction by calling that."""
    return ServerContext(
        components.settings,
        components.signing_keys,
        components.client_keys,
        components.secret,
        database.reader,
        transaction,
        lambda _client_id, **_: None,
        lambda **_: None,
    )
