"""What clients call."""

from tests.helpers.client_assertion import form_of
from tests.helpers.relying_party import TOKEN, USERINFO
from tests.openapi.situations.marks import empty, for_each, situation

INTROSPECT = "/api/auth/oauth2/introspect"
REVOKE = "/api/auth/oauth2/revoke"


@situation("post_oauth2_token", 200)
def code_for_tokens(world):
    form = {
        "grant_type": "authorization_code",
        "code": world.client.sign_in_with(world.browser),
        "redirect_uri": world.client.redirect_uri,
        "code_verifier": world.client.verifier,
    }
    return world.by_client(TOKEN, form)


@situation("post_oauth2_token", 200)
def refresh_token_for_tokens(world):
    presented = world.tokens()["refresh_token"]
    return world.by_client(TOKEN, {"grant_type": "refresh_token", "refresh_token": presented})


@situation("post_oauth2_token", 400)
def unknown_grant_type(world):
    return world.by_client(TOKEN, {"grant_type": "password"})


def _unknown_client(world, path):
    form = {"client_id": "unknown", "client_secret": "unknown", "token": "x"}
    return world.post(path, form, browser=world.stranger)


def _wrong_assertion(world, path):
    return world.post(path, form_of("x") | {"token": "x"}, browser=world.stranger)


OF_CLIENTS = ["post_oauth2_token", "post_oauth2_introspect", "post_oauth2_revoke"]
for_each(OF_CLIENTS, 401, _unknown_client)
for_each(OF_CLIENTS, 401, _wrong_assertion)
for_each(OF_CLIENTS[1:], 400, lambda world, path: world.by_client(path, {}))


@situation("post_oauth2_introspect", 200)
def an_access_token(world):
    return world.by_client(INTROSPECT, {"token": world.tokens()["access_token"]})


@situation("post_oauth2_introspect", 200)
def a_refresh_token(world):
    return world.by_client(INTROSPECT, {"token": world.tokens()["refresh_token"]})


@situation("post_oauth2_introspect", 200)
def an_unknown_token(world):
    return world.by_client(INTROSPECT, {"token": "unknown"})


@empty("post_oauth2_revoke", 200)
def a_token_taken_back(world):
    return world.by_client(REVOKE, {"token": world.tokens()["access_token"]})


def _bearer(token):
    return {"Authorization": f"Bearer {token}"}


def _signed(world):
    world.client = world.register(userinfo_signed_response_alg="ES256")
    return world.tokens()["access_token"]


@situation("get_oauth2_userinfo", 200)
def claims(world):
    return world.get(USERINFO, headers=_bearer(world.tokens()["access_token"]))


@situation("post_oauth2_userinfo", 200)
def claims_for_a_form(world):
    return world.post(USERINFO, {"access_token": world.tokens()["access_token"]})


@situation("get_oauth2_userinfo", 200, "application/jwt")
def signed_claims(world):
    return world.get(USERINFO, headers=_bearer(_signed(world)))


@situation("post_oauth2_userinfo", 200, "application/jwt")
def signed_claims_for_a_form(world):
    return world.post(USERINFO, {"access_token": _signed(world)})


@situation("get_oauth2_userinfo", 400)
def two_words_for_a_token(world):
    return world.get(USERINFO, headers=_bearer("two words"))


@situation("post_oauth2_userinfo", 400)
def a_token_in_two_places(world):
    return world.post(USERINFO, {"access_token": "x"}, headers=_bearer("x"))


@empty("get_oauth2_userinfo", 401)
def no_access_token(world):
    return world.get(USERINFO)


@empty("post_oauth2_userinfo", 401)
def no_access_token_in_a_form(world):
    return world.post(USERINFO)


@situation("get_oauth2_userinfo", 403)
def a_token_without_openid(world):
    return world.get(USERINFO, headers=_bearer(world.tokens(scope="profile")["access_token"]))


@situation("post_oauth2_userinfo", 403)
def a_token_without_openid_in_a_form(world):
    return world.post(USERINFO, {"access_token": world.tokens(scope="profile")["access_token"]})
