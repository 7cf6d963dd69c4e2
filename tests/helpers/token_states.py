"""What a client asks about its tokens and does to them: introspection and revocation."""

INTROSPECT = "/api/auth/oauth2/introspect"
REVOKE = "/api/auth/oauth2/revoke"
INACTIVE = {"active": False}


def introspect(client, token, **form):
    answer = client.http.post(
        INTROSPECT, {"token": token} | form, headers=client.credentials(), expect_errors=True
    )
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.content_type == "application/json"
    return answer


def told(client, token, **form):
    answer = introspect(client, token, **form)
    assert answer.status_int == 200
    return answer.json


def revoke(client, token, **form):
    sent = {"token": token} | form
    if client.client_secret is None:
        sent["client_id"] = client.client_id
    return client.http.post(REVOKE, sent, headers=client.credentials(), expect_errors=True)


def revoked(client, token, **form):
    """Revoke a token and check the answer, which is the same whatever the token was."""
    answer = revoke(client, token, **form)
    assert answer.status_int == 200
    assert answer.body == b""
    assert "Content-Type" not in answer.headers
    assert answer.headers["Cache-Control"] == "no-store"
