"""Where the browser comes by, on its way from one party to another."""

from tests.helpers.control import Control
from tests.helpers.end_session import BYE, END_SESSION
from tests.helpers.relying_party import AUTHORIZE
from tests.openapi.situations.marks import empty, for_each, page, situation

BEGIN = "/api/auth/sign-in/begin"
CALLBACK = "/api/auth/callback/github"
FORGEABLE = [
    "post_oauth2_end_session_confirm",
    "post_sign_in",
    "post_consent",
    "post_sign_out_page",
    "post_account_end_session",
    "post_account_disconnect",
    "post_account_sign_out_everywhere",
]


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


@page("get_oauth2_authorize", 403)
def a_client_that_is_for_others(world):
    browser = world.signed_in()
    return world.get(AUTHORIZE, world.register(allow=["id:1"]).request(), browser=browser)


@page("get_oauth2_authorize", 414)
def a_query_that_is_too_long(world):
    return world.get(AUTHORIZE, world.client.request(state="s" * 17_000))


@empty("post_oauth2_authorize", 303)
def an_authorization_request_as_a_form(world):
    return world.post(AUTHORIZE, world.client.request())


@page("post_oauth2_authorize", 413)
def one_that_fits_into_no_address(world):
    return world.post(AUTHORIZE, world.client.request(state="s" * 17_000))


@empty("post_oauth2_end_session", 303)
def an_end_session_request_as_a_form(world):
    return world.post(END_SESSION, {"client_id": world.client.client_id})


def _not_a_form(world, path):
    return world.post_text(path, "{}", "application/json")


for_each(
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


for_each(FORGEABLE, 403, _forged, "text/html")


@empty("get_sign_in_begin", 303)
def a_sign_in_of_an_application(world):
    return world.get(BEGIN, {"callbackURL": "/"})


@page("get_sign_in_begin", 403)
def a_sign_in_that_would_return_to_somewhere_else(world):
    return world.get(BEGIN, {"callbackURL": "https://elsewhere.example/"})


def _callback(world):
    sign_in = world.browser.get("/sign-in").forms[0]
    return world.browser.path(sign_in.submit("choice", value="sign-in").location)


@empty("get_callback", 303)
def a_confirmed_person(world):
    return world.get(_callback(world))


@empty("get_callback", 303)
def a_repeated_callback(world):
    address = _callback(world)
    world.browser.get(address)
    return world.get(address)


@page("get_callback", 200)
def an_attempt_that_is_gone_with_a_session(world):
    world.browser.get(_callback(world))
    return world.get(CALLBACK, {"state": "unknown"})


@page("get_callback", 400)
def an_unknown_attempt(world):
    return world.get(CALLBACK, {"state": "unknown"})


@page("get_callback", 403)
def a_person_who_is_not_admitted(world):
    Control(world.app).put("persons/carol", {"may_enter": False})
    return world.get(_callback(world).replace("code=local-developer", "code=carol"))


@situation("get_callback", 404)
def an_unknown_provider(world):
    return world.get("/api/auth/callback/unknown")
