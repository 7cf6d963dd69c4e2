"""Access tokens that are stored with the grant that they belong to."""

from authservice.services.tokens import access_tokens, grants

_AS_GRANTED = {"resources": None, "requested_claims": None}


def add_access(connection, token, grant_id, expires_at, **narrower):
    """Store an access token of a grant that is there."""
    columns = {"scopes": ("openid",), **_AS_GRANTED, **narrower}
    access_tokens.store(connection, token, refresh_id=grant_id, expires_at=expires_at, **columns)


def give_access(connection, token, expires_at, **granted):
    """Store an access token with a grant of its own, which has these columns, and its id."""
    columns = {"authorization_code_id": None, "auth_time": None, "scopes": ("openid",)}
    columns |= _AS_GRANTED | granted
    grant_id = grants.store_without_refresh_token(connection, expires_at, **columns)
    add_access(connection, token, grant_id, expires_at, scopes=columns["scopes"])
    return grant_id
