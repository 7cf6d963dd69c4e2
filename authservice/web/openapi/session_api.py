"""What first-party applications call, in the words of the npm package better-auth."""

from authservice.web.openapi.description import (
    Object,
    Operations,
    answer,
    challenge,
    json_body,
    query,
    ref,
    text,
    unless_overloaded,
)
from authservice.web.openapi.security_schemes import OWN_BROWSER, SESSION, SESSION_OR_NOBODY

_ERROR = answer("", ref("SessionError"))
_UNAUTHORIZED = {
    "401": answer("there is no session that counts here", ref("SessionError"), challenge("Cookie"))
}
_BAD_BODY = {
    "400": answer("the body is refused", ref("SessionError")),
    "415": answer("the body is not application/json", ref("SessionError")),
}
_WRITES = _BAD_BODY | {
    "403": answer("the Origin is missing or not a trusted one", ref("SessionError")),
}
_RETURN = text("a path of the service, or an address on a trusted origin")


def _operation(
    summary: str, security: list[Object], answers: Object, *, database: bool = True, **rest: object
) -> Object:
    responses = unless_overloaded(answers, _ERROR, database=database)
    found = {"summary": summary, "tags": ["session"], "security": security}
    return {**found, **rest, "responses": responses}


OPERATIONS: Operations = {
    ("get_session", "get"): _operation(
        "who is signed in; extends the session when that is due, with a new cookie",
        SESSION_OR_NOBODY,
        {
            "200": answer(
                "the session and its user, or null", {"oneOf": [ref("SignedIn"), {"type": "null"}]}
            )
        },
        parameters=[query("disableRefresh", "true never extends", enum=["true", "false"])],
    ),
    ("sign_out", "post"): _operation(
        "end the session of the cookie, also where there is none any more",
        SESSION_OR_NOBODY,
        {"200": answer("nobody is signed in", ref("Success"))} | _WRITES,
        requestBody=json_body(),
    ),
    ("sign_in.social", "post"): _operation(
        "where the browser begins the sign-in: an address of the service",
        [],
        {
            "200": answer("where to go", ref("SignInAddress")),
            "404": answer("there is no such provider", ref("SessionError")),
        }
        | _WRITES,
        requestBody=json_body(
            "provider",
            provider=text("the setting provider.id, such as github"),
            callbackURL=_RETURN,
            errorCallbackURL=_RETURN,
            newUserCallbackURL=_RETURN,
            disableRedirect={"type": "boolean"},
        ),
        database=False,
    ),
    ("list_sessions", "get"): _operation(
        "where the person is signed in",
        OWN_BROWSER,
        {"200": answer("the sessions", {"type": "array", "items": ref("Session")})} | _UNAUTHORIZED,
    ),
    ("revoke_session", "post"): _operation(
        "end one of one's own sessions",
        OWN_BROWSER,
        {"200": answer("it has ended, or was not one's own", ref("Status"))}
        | _UNAUTHORIZED
        | _WRITES,
        requestBody=json_body("token", token=text("the token of a session of list-sessions")),
    ),
    ("revoke_sessions", "post"): _operation(
        "sign out everywhere: no session and no application's access is left",
        OWN_BROWSER,
        {"200": answer("they have ended", ref("Status"))} | _UNAUTHORIZED | _WRITES,
        requestBody=json_body(),
    ),
    ("revoke_other_sessions", "post"): _operation(
        "end every session but this one",
        OWN_BROWSER,
        {"200": answer("they have ended", ref("Status"))} | _UNAUTHORIZED | _WRITES,
        requestBody=json_body(),
    ),
    ("session_token", "get"): _operation(
        "the session as a JWT, for back ends that verify it by themselves",
        SESSION,
        {"200": answer("the JWT", ref("SessionToken"))} | _UNAUTHORIZED,
    ),
    ("consents.public_client", "get"): _operation(
        "what people may know of a client",
        OWN_BROWSER,
        {
            "200": answer("the client", ref("PublicClient")),
            "404": answer("there is no such client", ref("SessionError")),
        }
        | _UNAUTHORIZED,
        parameters=[query("client_id", "of the client", required=True)],
    ),
    ("consents.get", "get"): _operation(
        "what the person has allowed which client",
        OWN_BROWSER,
        {"200": answer("the consents", {"type": "array", "items": ref("Consent")})} | _UNAUTHORIZED,
    ),
    ("consents.delete", "post"): _operation(
        "take a client's access back, with all its tokens",
        OWN_BROWSER,
        {
            "200": answer("it is gone", ref("Status")),
            "404": answer("there is no such consent of the person", ref("SessionError")),
        }
        | _UNAUTHORIZED
        | _WRITES,
        requestBody=json_body("id", id=text("of a consent of get-consents")),
    ),
    ("ok", "get"): {
        "summary": "the session API answers",
        "tags": ["session"],
        "security": [],
        "responses": {"200": answer("it does", ref("Ok"))},
    },
}
