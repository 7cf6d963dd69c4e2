"""A request for each answer of the description: what leads to it, and what then sends it."""

from collections import defaultdict

from tests.end_session import BYE, END_SESSION
from tests.openapi.described import BY_ID, PATHS
from tests.openapi.world import SESSION_API
from tests.relying_party import AUTHORIZE, TOKEN, USERINFO

SITUATIONS = defaultdict(list)
INTROSPECT = "/api/auth/oauth2/introspect"
REVOKE = "/api/auth/oauth2/revoke"
CONFIRM = "/api/auth/oauth2/end-session/confirm"
SOCIAL = "/api/auth/sign-in/social"
CALLBACK = "/api/auth/callback/github"
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
DOCUMENTS = [name for name, operation in BY_ID.items() if "304" in operation["responses"]]
FORGEABLE = [
    "post_oauth2_end_session_confirm",
    "post_sign_in",
    "post_consent",
    "post_sign_out_page",
    "post_account_end_session",
    "post_account_disconnect",
    "post_account_sign_out_everywhere",
]


def situation(operation, status, content_type="application/json"):
    """Mark what makes a world ready for an answer and returns what sends the request."""

    def mark(prepare):
        SITUATIONS[operation, status, content_type].append(prepare)
        return prepare

    return mark


def page(operation, status):
    return situation(operation, status, "text/html")


def empty(operation, status):
    return situation(operation, status, None)


def _for_each(names, status, prepare, content_type="application/json"):
    for name in names:

        def of_this_one(world, path=PATHS[name]):
            return prepare(world, path)

        SITUATIONS[name, status, content_type].append(of_this_one)


# Documents


def _known(world, path):
    return world.get(path, headers={"If-None-Match": world.browser.get(path).headers["ETag"]})


_for_each(DOCUMENTS, 200, lambda world, path: world.get(path))
_for_each(DOCUMENTS, 304, _known, None)
_for_each(["get_health", "get_ready", "get_ok"], 200, lambda world, path: world.get(path))

# What clients call


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


OF_CLIENTS = ["post_oauth2_token", "post_oauth2_introspect", "post_oauth2_revoke"]
_for_each(OF_CLIENTS, 401, _unknown_client)
_for_each(OF_CLIENTS[1:], 400, lambda world, path: world.by_client(path, {}))


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


@situation("get_oauth2_userinfo", 401)
def an_unknown_access_token(world):
    return world.get(USERINFO, headers=_bearer("unknown"))


@situation("post_oauth2_userinfo", 401)
def an_unknown_access_token_in_a_form(world):
    return world.post(USERINFO, {"access_token": "unknown"})


@situation("get_oauth2_userinfo", 403)
def a_token_without_openid(world):
    return world.get(USERINFO, headers=_bearer(world.tokens(scope="profile")["access_token"]))


@situation("post_oauth2_userinfo", 403)
def a_token_without_openid_in_a_form(world):
    return world.post(USERINFO, {"access_token": world.tokens(scope="profile")["access_token"]})


# Where the browser comes by


@empty("get_oauth2_authorize", 303)
def an_authorization_request(world):
    return world.get(AUTHORIZE, world.client.request())


@page("get_oauth2_authorize", 200)
def an_answer_by_form_post(world):
    world.tokens()
    return world.get(AUTHORIZE, world.client.request(response_mode="form_post"))


@page("get_oauth2_authorize", 400)
def an_unknown_client_id(world):
    return world.get(AUTHORIZE, world.client.request(client_id="unknown"))


@page("get_oauth2_authorize", 414)
def a_query_that_is_too_long(world):
    return world.get(AUTHORIZE, world.client.request(state="s" * 17_000))


@empty("post_oauth2_authorize", 303)
def an_authorization_request_as_a_form(world):
    return world.post(AUTHORIZE, world.client.request())


@empty("post_oauth2_end_session", 303)
def an_end_session_request_as_a_form(world):
    return world.post(END_SESSION, {"client_id": world.client.client_id})


def _not_a_form(world, path):
    return world.post_text(path, "{}", "application/json")


_for_each(
    [
        *("post_oauth2_authorize", "post_oauth2_end_session", "post_sign_out_page"),
        *("post_account_end_session", "post_account_disconnect"),
        "post_account_sign_out_everywhere",
    ],
    400,
    _not_a_form,
    "text/html",
)


@page("get_oauth2_end_session", 200)
def signing_out_without_a_hint(world):
    world.signed_in()
    return world.get(END_SESSION)


@empty("get_oauth2_end_session", 303)
def signing_out_with_a_hint(world):
    hint = world.tokens()["id_token"]
    return world.get(END_SESSION, {"id_token_hint": hint, "post_logout_redirect_uri": BYE})


@page("get_oauth2_end_session", 400)
def signing_out_with_a_repeated_parameter(world):
    return world.get(f"{END_SESSION}?state=one&state=two")


def _confirmation(world):
    world.signed_in()
    found = world.browser.get(END_SESSION).forms
    return next(form for form in found.values() if form.action.endswith("/confirm"))


@empty("post_oauth2_end_session_confirm", 303)
def a_confirmed_sign_out(world):
    return world.submit(_confirmation(world), button=("decision", "sign-out"))


@page("post_oauth2_end_session_confirm", 400)
def an_altered_confirmation(world):
    return world.submit(_confirmation(world), logout="altered", button=("decision", "sign-out"))


def _forged(world, path):
    world.signed_in()
    return world.post(path)


_for_each(FORGEABLE, 403, _forged, "text/html")


def _callback(world):
    sign_in = world.browser.get("/sign-in").forms[0]
    return world.browser.path(sign_in.submit("choice", value="sign-in").location)


@empty("get_callback", 303)
def a_confirmed_person(world):
    return world.get(_callback(world))


@page("get_callback", 200)
def a_repeated_callback(world):
    address = _callback(world)
    world.browser.get(address)
    return world.get(address)


@page("get_callback", 400)
def an_unknown_attempt(world):
    return world.get(CALLBACK, {"state": "unknown"})


@situation("get_callback", 404)
def an_unknown_provider(world):
    return world.get("/api/auth/callback/unknown")


# What first-party applications call


@situation("get_get_session", 200)
def nobody(world):
    return world.get(f"{SESSION_API}/get-session")


@situation("get_get_session", 200)
def somebody(world):
    world.signed_in()
    return world.get(f"{SESSION_API}/get-session")


def _as_somebody(world, path):
    world.signed_in()
    return world.get(path)


def _write_as_somebody(world, path):
    world.signed_in()
    return world.post_json(path, {"token": "unknown"})


def _anonymously(world, path):
    return world.get(path) if path in GETS else world.post_json(path, {}, origin=None)


GETS = [PATHS[name] for name in FOR_THE_OWN_BROWSER if name.startswith("get_")]
_for_each(["get_list_sessions", "get_session_token"], 200, _as_somebody)
_for_each(
    ["post_revoke_session", "post_revoke_sessions", "post_revoke_other_sessions", "post_sign_out"],
    200,
    _write_as_somebody,
)
_for_each(FOR_THE_OWN_BROWSER, 401, _anonymously)


def _from_elsewhere(world, path):
    world.signed_in()
    return world.post_json(path, {}, origin="https://elsewhere.example")


def _no_json(world, path):
    world.signed_in()
    return world.post_text(path, "{", "application/json")


def _not_said_to_be_json(world, path):
    world.signed_in()
    return world.post_text(path, "{}", "text/plain")


_for_each(WRITING, 403, _from_elsewhere)
_for_each(WRITING, 400, _no_json)
_for_each(WRITING, 415, _not_said_to_be_json)


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


# Pages


_for_each(
    ["get_landing", "get_sign_in", "get_signed_out", "get_account"], 200, _as_somebody, "text/html"
)
_for_each(["get_error"], 400, lambda world, path: world.get(path), "text/html")


def _altered_interaction(world, path):
    return world.get(path, {"interaction": "altered"})


_for_each(["get_sign_in", "get_consent"], 400, _altered_interaction, "text/html")


@page("get_sign_in", 403)
def a_sign_in_that_leads_elsewhere(world):
    return world.get("/sign-in", {"callbackURL": "https://elsewhere.example/"})


@empty("post_sign_in", 303)
def a_click(world):
    return world.submit(world.browser.get("/sign-in").forms[0], button=("choice", "sign-in"))


@page("post_sign_in", 400)
def an_altered_attempt(world):
    form = world.browser.get("/sign-in").forms[0]
    return world.submit(form, attempt="altered", button=("choice", "sign-in"))


@page("get_consent", 200)
def a_question(world):
    world.signed_in()
    return world.get("/consent", {"interaction": world.interaction()})


@empty("get_consent", 303)
def a_question_to_nobody(world):
    return world.get("/consent", {"interaction": world.interaction()})


@empty("post_consent", 303)
def a_yes(world):
    return world.submit(world.consent_form(), button=("decision", "allow"))


@page("post_consent", 200)
def a_no_by_form_post(world):
    form = world.consent_form(response_mode="form_post")
    return world.submit(form, button=("decision", "deny"))


@page("post_consent", 400)
def an_answer_to_an_altered_question(world):
    return world.submit(world.consent_form(), interaction="altered", button=("decision", "allow"))


@empty("post_sign_out_page", 303)
def signing_out_on_the_start_page(world):
    found = world.signed_in().get("/").forms
    return world.submit(next(form for form in found.values() if form.action.endswith("/sign-out")))


@empty("get_account", 303)
def the_account_of_nobody(world):
    return world.get("/account")


def _account_form(world, action):
    found = world.signed_in().get("/account").forms
    return next(form for form in found.values() if form.action == f"/account/{action}")


@empty("post_account_end_session", 303)
def ending_this_session(world):
    form = _account_form(world, "end-session")
    return world.submit(form, button=("session", form.fields["session"][0]._value))


@empty("post_account_disconnect", 303)
def disconnecting_an_application(world):
    world.tokens()
    form = _account_form(world, "disconnect")
    return world.submit(form, button=("client_id", world.client.client_id))


@empty("post_account_sign_out_everywhere", 303)
def signing_out_everywhere(world):
    return world.submit(_account_form(world, "sign-out-everywhere"))
