"""What first-party applications call."""

from tests.openapi.described import BY_ID, PATHS
from tests.openapi.situations.marks import for_each, situation, with_a_session
from tests.openapi.world import SESSION_API

SOCIAL = "/api/auth/sign-in/social"
WRITING = [
    "post_sign_out",
    "post_sign_in_social",
    "post_revoke_session",
    "post_revoke_sessions",
    "post_revoke_other_sessions",
    "post_consents_delete",
]
FOR_THE_OWN_BROWSER = [
    name
    for name, operation in BY_ID.items()
    if "401" in operation["responses"] and "session" in operation["tags"]
]


@situation("get_get_session", 200)
def no_session(world):
    return world.get(f"{SESSION_API}/get-session")


@situation("get_get_session", 200)
def a_session(world):
    world.signed_in()
    return world.get(f"{SESSION_API}/get-session")


def _writing_with_a_session(world, path):
    world.signed_in()
    return world.post_json(path, {"token": "unknown"})


def _anonymously(world, path):
    return world.get(path) if path in GETS else world.post_json(path, {}, origin=None)


GETS = [PATHS[name] for name in FOR_THE_OWN_BROWSER if name.startswith("get_")]
for_each(["get_list_sessions", "get_session_token"], 200, with_a_session)
for_each(
    ["post_revoke_session", "post_revoke_sessions", "post_revoke_other_sessions", "post_sign_out"],
    200,
    _writing_with_a_session,
)
for_each(FOR_THE_OWN_BROWSER, 401, _anonymously)


@situation("get_session_token", 403)
def for_another_site(world):
    world.signed_in()
    return world.get(f"{SESSION_API}/token?audience=https://elsewhere.example")


def _from_elsewhere(world, path):
    world.signed_in()
    return world.post_json(path, {}, origin="https://elsewhere.example")


def _no_json(world, path):
    world.signed_in()
    return world.post_text(path, "{", "application/json")


def _not_said_to_be_json(world, path):
    world.signed_in()
    return world.post_text(path, "{}", "text/plain")


for_each(WRITING, 403, _from_elsewhere)
for_each(WRITING, 400, _no_json)
for_each(WRITING, 415, _not_said_to_be_json)


@situation("post_sign_in_social", 200)
def where_to_sign_in(world):
    return world.post_json(SOCIAL, {"provider": "github", "callbackURL": "/"})


@situation("post_sign_in_social", 403)
def a_return_to_somewhere_else(world):
    there = {"provider": "github", "callbackURL": "https://elsewhere.example/"}
    return world.post_json(SOCIAL, there)


@situation("post_sign_in_social", 404)
def signing_in_with_an_unknown_provider(world):
    return world.post_json(SOCIAL, {"provider": "unknown"})


@situation("get_consents_public_client", 200)
def a_client(world):
    world.signed_in()
    client_id = world.client.client_id
    return world.get(PATHS["get_consents_public_client"], {"client_id": client_id})


@situation("get_consents_public_client", 404)
def a_client_that_is_not_there(world):
    world.signed_in()
    return world.get(PATHS["get_consents_public_client"], {"client_id": "unknown"})


@situation("get_consents_get", 200)
def consents(world):
    world.tokens()
    return world.get(PATHS["get_consents_get"])


@situation("post_consents_delete", 200)
def a_consent_taken_back(world):
    world.tokens()
    consent = world.browser.get(PATHS["get_consents_get"]).json[0]
    return world.post_json(PATHS["post_consents_delete"], {"id": consent["id"]})


@situation("post_consents_delete", 404)
def a_consent_that_is_not_there(world):
    world.signed_in()
    return world.post_json(PATHS["post_consents_delete"], {"id": "unknown"})
