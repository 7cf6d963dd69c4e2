"""The pages for people. Their forms carry a token of the browser in which they were opened."""

from authservice.web.openapi.description import (
    Object,
    Operations,
    form,
    page,
    query,
    redirect,
    text,
    unless_overloaded,
)
from authservice.web.openapi.security_schemes import (
    OWN_BROWSER,
    OWN_BROWSER_OR_NOBODY,
    SESSION_OR_NOBODY,
)

_ERROR = page("")
_CSRF = text("from the page")
_INTERACTION = query("interaction", "a pending authorization request, sealed")
_UI_LOCALES = query("ui_locales", "languages of the page, before those of Accept-Language")
_FORGED = {"403": page("the form is not from a page of this browser")}
_FORM = {"400": page("the form cannot be read")} | _FORGED


def _operation(summary: str, answers: Object, *, database: bool = True, **rest: object) -> Object:
    responses = unless_overloaded(answers, _ERROR, database=database)
    found: Object = {"summary": summary, "tags": ["pages"], "security": OWN_BROWSER_OR_NOBODY}
    return {**found, **rest, "responses": responses}


OPERATIONS: Operations = {
    ("landing", "get"): _operation(
        "the start page",
        {"200": page("who is signed in, and the ways on")},
        parameters=[_UI_LOCALES],
    ),
    ("sign_in", "get"): _operation(
        "the sign-in page",
        {
            "200": page("the page"),
            "400": page("the interaction is not valid"),
            "403": page("an address to return to is not on a trusted origin"),
        },
        parameters=[
            _INTERACTION,
            query("callbackURL", "where to go after signing in"),
            query("errorCallbackURL", "where to go when it failed"),
            query("newUserCallbackURL", "where to go after signing in for the first time"),
            query("prompt", "select_account: the identity provider asks which account to use"),
        ],
    ),
    ("sign_in", "post"): _operation(
        "the form of the sign-in page",
        {
            "303": redirect("to the identity provider, or on as who is signed in"),
            "400": page("the page was open for too long"),
        }
        | _FORGED,
        requestBody=form(
            "csrf_token",
            "attempt",
            csrf_token=_CSRF,
            attempt=text("from the page"),
            choice=text("", enum=["sign-in", "continue"]),
        ),
    ),
    ("consent", "get"): _operation(
        "the consent page",
        {
            "200": page("who asks for what"),
            "303": redirect("to sign-in, when nobody is signed in"),
            "400": page("the interaction is not valid"),
        },
        parameters=[_INTERACTION | {"required": True}],
    ),
    ("consent", "post"): _operation(
        "the form of the consent page",
        {
            "200": page("a form that posts a refusal to the client, with form_post"),
            "303": redirect("on to the client"),
            "400": page("the interaction is not valid"),
        }
        | _FORGED,
        requestBody=form(
            "csrf_token",
            "interaction",
            csrf_token=_CSRF,
            interaction=text("from the page"),
            decision=text("", enum=["allow", "allow-ticked", "deny"]),
        ),
    ),
    ("sign_out_page", "post"): _operation(
        "the form that signs out",
        {"303": redirect("to the page that says it is done")} | _FORM,
        security=SESSION_OR_NOBODY,
        requestBody=form("csrf_token", csrf_token=_CSRF),
    ),
    ("signed_out", "get"): _operation(
        "the page that says it is done",
        {"200": page("the page")},
        security=[],
        parameters=[
            query("everywhere", "`yes` after signing out everywhere"),
            _UI_LOCALES,
        ],
        database=False,
    ),
    ("account", "get"): _operation(
        "the account page",
        {
            "200": page("the person's sessions and connected applications"),
            "303": redirect("to sign-in, when nobody is signed in"),
        },
        parameters=[
            query("sessions", "which part of the sessions, from 1"),
            query("applications", "which part of the applications, from 1"),
            query("done", "what has just been done", enum=["session-ended", "disconnected"]),
        ],
    ),
    ("account.end_session", "post"): _operation(
        "the form that ends one of the person's sessions",
        {"303": redirect("to the account page, or to say that this session has ended")} | _FORM,
        security=OWN_BROWSER,
        requestBody=form("csrf_token", csrf_token=_CSRF, session=text("from the page")),
    ),
    ("account.disconnect", "post"): _operation(
        "the form that takes an application's access back",
        {"303": redirect("to the account page")} | _FORM,
        security=OWN_BROWSER,
        requestBody=form("csrf_token", csrf_token=_CSRF, client_id=text("from the page")),
    ),
    ("account.sign_out_everywhere", "post"): _operation(
        "the form that ends every session of the person and every application's access",
        {"303": redirect("to the page that says it is done")} | _FORM,
        security=OWN_BROWSER,
        requestBody=form("csrf_token", csrf_token=_CSRF),
    ),
    ("error", "get"): _operation(
        "the page that says what went wrong",
        {"400": page("the page")},
        security=[],
        parameters=[query("error", "a code of letters, digits, _ and -")],
        database=False,
    ),
}
