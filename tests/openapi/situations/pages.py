"""Pages for people, and their forms."""

from tests.openapi.situations.marks import empty, for_each, page, with_a_session

for_each(
    ["get_landing", "get_sign_in", "get_signed_out", "get_account"],
    200,
    with_a_session,
    "text/html",
)
for_each(["get_error"], 400, lambda world, path: world.get(path), "text/html")


def _altered_interaction(world, path):
    return world.get(path, {"interaction": "altered"})


for_each(["get_sign_in", "get_consent"], 400, _altered_interaction, "text/html")


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
def a_question_without_a_session(world):
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
def an_account_without_a_session(world):
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
