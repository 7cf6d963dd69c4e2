"""Health, metadata, keys and this description: the same for everybody."""

from authservice.web.openapi.description import RETRY_AFTER, Object, Operations, answer, empty, ref

_ETAG = {"ETag": {"required": True, "schema": {"type": "string"}}}


def _document(summary: str, schema: str) -> Object:
    return {
        "summary": summary,
        "tags": ["discovery"],
        "security": [],
        "parameters": [
            {
                "name": "If-None-Match",
                "in": "header",
                "description": "the ETag of the document that the caller has",
                "schema": {"type": "string"},
            }
        ],
        "responses": {
            "200": answer("the document", ref(schema), _ETAG),
            "304": empty("the caller has it already", _ETAG),
        },
    }


_KEYS = _document("the public signing keys (RFC 7517)", "KeySet")
_KEYS["responses"]["503"] = answer(
    "the keys have not been read yet, since the database does not answer",
    ref("SessionError"),
    RETRY_AFTER,
)

OPERATIONS: Operations = {
    ("health", "get"): {
        "summary": "whether the process serves",
        "tags": ["discovery"],
        "security": [],
        "responses": {"200": answer("it does", ref("Health"))},
    },
    ("ready", "get"): {
        "summary": "whether requests may be sent here, and what is wrong",
        "tags": ["discovery"],
        "security": [],
        "responses": {
            "200": answer("they may, even if something is wrong", ref("Readiness")),
            "429": answer("too many requests, in production", ref("ProtocolError"), RETRY_AFTER),
            "503": answer("they may not", ref("Readiness"), RETRY_AFTER),
        },
    },
    ("openapi", "get"): _document("this description", "OpenAPI"),
    ("well_known.openid_configuration", "get"): _document(
        "metadata (OpenID Connect Discovery 1.0, section 4)", "Metadata"
    ),
    ("well_known.oauth_authorization_server", "get"): _document(
        "metadata, below the issuer", "Metadata"
    ),
    ("well_known.path_inserted", "get"): _document("metadata (RFC 8414, section 3)", "Metadata"),
    ("jwks", "get"): _KEYS,
}
