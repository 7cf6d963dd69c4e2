"""What clients call: token, userinfo, introspection and revocation."""

from authservice.web.openapi.description import (
    Object,
    Operations,
    answer,
    challenge,
    empty,
    form,
    ref,
    text,
    unless_overloaded,
)
from authservice.web.openapi.security_schemes import ACCESS_TOKEN, CLIENT

_ERROR = answer("", ref("ProtocolError"))
_CLIENT = {
    "client_id": text("of a client that sends no Authorization header"),
    "client_secret": text("of a client that has one and sends no Authorization header"),
}
_NAMED_TOKEN = _CLIENT | {
    "token": text("an access token or a refresh token"),
    "token_type_hint": text("is not needed, and never excludes anything"),
}


def _for_clients(summary: str, body: Object, done: Object) -> Object:
    return {
        "summary": summary,
        "tags": ["protocol"],
        "security": CLIENT,
        "requestBody": body,
        "responses": unless_overloaded(
            {
                "200": done,
                "400": answer("the request is refused", ref("ProtocolError")),
                "401": answer("the client is not known", ref("ProtocolError"), challenge("Basic")),
            },
            _ERROR,
        ),
    }


def _userinfo(summary: str) -> Object:
    claims = answer("the claims, signed when the client was registered so", ref("Claims"))
    claims["content"]["application/jwt"] = {"schema": ref("SignedClaims")}
    bearer = challenge("Bearer")
    # What cannot be read is refused without a look at what it asks for.
    perhaps = {"WWW-Authenticate": bearer["WWW-Authenticate"] | {"required": False}}
    return {
        "summary": summary,
        "tags": ["protocol"],
        "security": ACCESS_TOKEN,
        "responses": unless_overloaded(
            {
                "200": claims,
                "400": answer("not exactly one token was sent", ref("ProtocolError"), perhaps),
                # No schema: OpenAPI knows of no body that is there at times (RFC 6750, 3.1).
                "401": empty(
                    "no token was sent, and the body is empty; or the token is not valid, and the"
                    " body is a ProtocolError in JSON",
                    bearer,
                ),
                "403": answer("the token lacks the scope openid", ref("ProtocolError"), bearer),
            },
            _ERROR,
        ),
    }


OPERATIONS: Operations = {
    ("oauth2.token", "post"): _for_clients(
        "an authorization code or a refresh token into tokens (RFC 6749, section 3.2)",
        form(
            "grant_type",
            grant_type=text("", enum=["authorization_code", "refresh_token"]),
            code=text("with authorization_code"),
            redirect_uri=text("with authorization_code: the one of the authorization request"),
            code_verifier=text("with authorization_code (RFC 7636)"),
            refresh_token=text("with refresh_token; it is rotated"),
            scope=text("with refresh_token: fewer scopes for this access token"),
            resource={
                "type": "array",
                "items": {"type": "string"},
                "description": "whom the access token is for (RFC 8707); repeatable",
            },
            **_CLIENT,
        ),
        answer("the tokens", ref("Tokens")),
    ),
    ("oauth2.userinfo", "get"): _userinfo("the claims of a person (OIDC Core, 5.3)"),
    ("oauth2.userinfo", "post"): _userinfo("the same, with the token in the header or the form")
    | {
        "security": [*ACCESS_TOKEN, {}],
        "requestBody": form(access_token=text("unless it is in the header")),
    },
    ("oauth2.introspect", "post"): _for_clients(
        "what a token stands for (RFC 7662); for clients that have a secret",
        form("token", **_NAMED_TOKEN),
        answer("what this client may know of it", ref("Introspection")),
    ),
    ("oauth2.revoke", "post"): _for_clients(
        "take a token back (RFC 7009); a refresh token takes its family along",
        form("token", **_NAMED_TOKEN),
        empty("it is not valid, or no longer"),
    ),
}
