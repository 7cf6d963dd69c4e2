"""Where the browser comes by on its way between a client, the service and the provider."""

from authservice.oauth.authorization_response import RESPONSE_MODES
from authservice.web.openapi.description import (
    Object,
    Operations,
    answer,
    form,
    page,
    query,
    redirect,
    ref,
    text,
    unless_overloaded,
)
from authservice.web.openapi.security_schemes import OWN_BROWSER_OR_NOBODY, SESSION_OR_NOBODY

_ERROR = page("")
_REQUIRED = ("response_type", "client_id", "redirect_uri", "code_challenge")
_AUTHORIZATION: dict[str, Object] = {
    "response_type": text("", enum=["code"]),
    "client_id": text("of a registered client"),
    "redirect_uri": text("one of the registered ones, exactly"),
    "scope": text("separated by spaces; openid when it is left out"),
    "state": text("comes back as it was sent"),
    "response_mode": text("", enum=list(RESPONSE_MODES)),
    "code_challenge": text("of the verifier (RFC 7636)", minLength=43, maxLength=128),
    "code_challenge_method": text("", enum=["S256"]),
    "nonce": text("is copied into the ID token"),
    "display": text("is accepted and changes nothing"),
    "prompt": text("none, login, consent or select_account, separated by spaces"),
    "max_age": text("seconds since the sign-in, at most", pattern="^[0-9]+$"),
    "ui_locales": text(
        "languages of the pages as BCP 47 tags, separated by spaces, the best first"
    ),
    "claims_locales": text("is accepted and changes nothing"),
    "id_token_hint": text("an ID token of the person who is expected"),
    "login_hint": text("is accepted and changes nothing"),
    "acr_values": text("is accepted and changes nothing"),
    "claims": text("single claims, as JSON (OIDC Core, 5.5)"),
    "request": text("is refused: request_not_supported"),
    "request_uri": text("is refused: request_uri_not_supported"),
    "resource": {
        "type": "array",
        "items": {"type": "string"},
        "description": "whom the access token is for (RFC 8707); repeatable",
    },
}
_END_SESSION: dict[str, Object] = {
    "id_token_hint": text("an ID token of the session; an expired one is fine"),
    "post_logout_redirect_uri": text("one of the registered ones, exactly"),
    "state": text("is added to that address"),
    "client_id": text("must agree with the hint"),
    "logout_hint": text("is accepted and changes nothing"),
    "ui_locales": text(
        "languages of the pages as BCP 47 tags, separated by spaces, the best first"
    ),
}


def _in_the_query(fields: dict[str, Object], required: tuple[str, ...] = ()) -> list[Object]:
    return [
        query(name, schema["description"], required=name in required)
        | {"schema": {key: value for key, value in schema.items() if key != "description"}}
        for name, schema in fields.items()
    ]


def _operation(summary: str, answers: Object, *, database: bool = True, **rest: object) -> Object:
    responses = unless_overloaded(answers, _ERROR, database=database)
    return {"summary": summary, "tags": ["browser"], **rest, "responses": responses}


OPERATIONS: Operations = {
    ("oauth2.authorize", "get"): _operation(
        "the authorization request of a client (OIDC Core, 3.1.2)",
        {
            "200": page("a form that posts the answer to the client, with form_post"),
            "303": redirect("to sign-in, to consent, or to the client with code or error"),
            "400": page("the client or its redirect URI is wrong; nobody is redirected"),
            "414": page("the query is longer than 16 KiB"),
        },
        security=OWN_BROWSER_OR_NOBODY,
        parameters=_in_the_query(_AUTHORIZATION, _REQUIRED),
    ),
    ("oauth2.authorize", "post"): _operation(
        "the same request as a form, of any length that a body may have",
        {
            "200": page("a form that posts the refusal of a long request to the client"),
            "303": redirect("to the same request by GET, or to the client with an error"),
            "400": page("the form cannot be read, or the client or its redirect URI is wrong"),
        },
        security=[],
        requestBody=form(*_REQUIRED, **_AUTHORIZATION),
    ),
    ("oauth2.end_session", "get"): _operation(
        "sign out at the request of a client (OIDC RP-Initiated Logout 1.0)",
        {
            "200": page("the person is asked"),
            "303": redirect("to the client or the page that says it is done"),
            "400": page("the request is refused; nobody is redirected"),
        },
        security=SESSION_OR_NOBODY,
        parameters=_in_the_query(_END_SESSION),
    ),
    ("oauth2.end_session", "post"): _operation(
        "the same request as a form",
        {
            "303": redirect("to the same request by GET"),
            "400": page("the form cannot be read"),
        },
        security=[],
        requestBody=form(**_END_SESSION),
        database=False,
    ),
    ("oauth2.end_session_confirm", "post"): _operation(
        "the form of the page that asks",
        {
            "303": redirect("to the client or the page that says it is done"),
            "400": page("the page was open for too long"),
            "403": page("the form is not from a page of this browser"),
        },
        security=SESSION_OR_NOBODY,
        requestBody=form(
            "csrf_token",
            "logout",
            csrf_token=text("from the page"),
            logout=text("from the page"),
            decision=text("sign-out, or anything else to stay"),
        ),
    ),
    ("sign_in.begin", "get"): _operation(
        "where sign-in/social leads: the browser begins the sign-in itself, at the provider",
        {
            "303": redirect("to the identity provider, or to the sign-in page"),
            "403": page("an address to return to is not on a trusted origin"),
        },
        security=[],
        parameters=[
            query("callbackURL", "where to go after signing in"),
            query("errorCallbackURL", "where to go when it failed"),
            query("newUserCallbackURL", "where to go after signing in for the first time"),
        ],
    ),
    ("callback", "get"): _operation(
        "the way back from the identity provider",
        {
            "200": page("it was finished before, and the person is signed in"),
            "303": redirect("to where the sign-in began"),
            "400": page("the person was not confirmed, or the attempt has expired"),
            "404": answer("there is no such provider", ref("SessionError")),
        },
        security=[],
        parameters=[
            {
                "name": "provider_id",
                "in": "path",
                "required": True,
                "schema": {"type": "string"},
                "description": "the setting provider.id",
            },
            query("state", "of the attempt"),
            query("code", "of the provider"),
            query("error", "of the provider"),
        ],
    ),
}
# The identity provider may be the one that does not answer, and nobody knows for how long.
OPERATIONS["callback", "get"]["responses"]["503"] = page(
    "the database or the identity provider does not answer, or too many people sign in at once:"
    " then the page loads itself again, to the same attempt"
)
