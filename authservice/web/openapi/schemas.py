"""What the bodies of answers look like. Objects have the listed members and no others."""

from authservice.crypto.signing_keys import ALGORITHMS
from authservice.services.clients import SCOPES
from authservice.web.openapi.description import Object, record, ref, text

_STRING: Object = {"type": "string"}
_STRINGS: Object = {"type": "array", "items": _STRING}
_BOOLEAN: Object = {"type": "boolean"}
_SECONDS: Object = {"type": "integer", "description": "seconds since 1970, in UTC"}
_URL: Object = {"type": "string", "format": "uri", "pattern": "^https?://"}
_DATE: Object = {
    "type": "string",
    "format": "date-time",
    "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$",
}
_JWT: Object = {"type": "string", "pattern": r"^[\w-]+\.[\w-]+\.[\w-]+$"}
_SCOPE = text("the granted scopes, separated by spaces")

_METADATA = {
    "issuer": _URL,
    "authorization_endpoint": _URL,
    "token_endpoint": _URL,
    "userinfo_endpoint": _URL,
    "introspection_endpoint": _URL,
    "revocation_endpoint": _URL,
    "end_session_endpoint": _URL,
    "jwks_uri": _URL,
    "scopes_supported": _STRINGS,
    "response_types_supported": _STRINGS,
    "response_modes_supported": _STRINGS,
    "grant_types_supported": _STRINGS,
    "subject_types_supported": _STRINGS,
    "id_token_signing_alg_values_supported": _STRINGS,
    "token_endpoint_auth_methods_supported": _STRINGS,
    "introspection_endpoint_auth_methods_supported": _STRINGS,
    "revocation_endpoint_auth_methods_supported": _STRINGS,
    "userinfo_signing_alg_values_supported": _STRINGS,
    "code_challenge_methods_supported": _STRINGS,
    "prompt_values_supported": _STRINGS,
    "acr_values_supported": _STRINGS,
    "claim_types_supported": _STRINGS,
    "claims_supported": _STRINGS,
    "claims_parameter_supported": _BOOLEAN,
    "request_parameter_supported": _BOOLEAN,
    "request_uri_parameter_supported": _BOOLEAN,
    "require_request_uri_registration": _BOOLEAN,
    "authorization_response_iss_parameter_supported": _BOOLEAN,
    "backchannel_logout_supported": _BOOLEAN,
    "backchannel_logout_session_supported": _BOOLEAN,
    "ui_locales_supported": _STRINGS,
}
_SESSION = {
    "id": _STRING,
    "expiresAt": _DATE,
    "token": text("a handle for revoke-session, which opens nothing"),
    "createdAt": _DATE,
    "updatedAt": _DATE,
    "ipAddress": _STRING,
    "userAgent": _STRING,
    "userId": _STRING,
}
_USER = {
    "id": text("the key for your own tables"),
    "name": _STRING,
    "email": text("an email address; one at unverified.invalid stands in for one"),
    "emailVerified": _BOOLEAN,
    "image": {"type": ["string", "null"]},
    "createdAt": _DATE,
    "updatedAt": _DATE,
}
_CONSENT = {
    "id": text("what delete-consent takes"),
    "clientId": _STRING,
    "userId": _STRING,
    "referenceId": {"type": "null"},
    "scopes": {"type": "array", "items": {"enum": list(SCOPES)}},
    "resources": _STRINGS
    | {"description": "for which the client may have tokens (RFC 8707); empty for most clients"},
    "createdAt": _DATE,
    "updatedAt": _DATE,
}
_PUBLIC_CLIENT = {"client_id": _STRING, "client_name": _STRING, "redirect_uris": _STRINGS}

SCHEMAS: Object = {
    "Health": record("status", "service", status={"const": "ok"}, service=_STRING),
    "Readiness": record(
        *("status", "service", "conditions", "sender_known"),
        status={"enum": ["ready", "degraded", "unavailable"]},
        service=_STRING,
        conditions={
            "type": "object",
            "description": (
                "what is wrong, by name, each with a sentence; empty for everybody but"
                " auth.trusted_proxies and the machine itself"
            ),
            "additionalProperties": _STRING,
        },
        sender_known={
            "type": "boolean",
            "description": "whether the address of who asks is known, or only that of a proxy",
        },
        version={
            "type": "string",
            "description": "of the service; for auth.trusted_proxies and the machine itself only",
        },
    ),
    "Metadata": record(*_METADATA, **_METADATA),
    "KeySet": record("keys", keys={"type": "array", "items": ref("Key"), "minItems": 1}),
    "Key": record(
        *("kty", "kid", "alg", "use"),
        kty={"enum": ["RSA", "EC", "OKP"]},
        kid=_STRING,
        alg={"enum": list(ALGORITHMS)},
        use={"const": "sig"},
        n=_STRING,
        e=_STRING,
        crv=_STRING,
        x=_STRING,
        y=_STRING,
    ),
    "OpenAPI": {
        "type": "object",
        "description": "an OpenAPI 3.1 document",
        "required": ["openapi", "info", "paths", "components"],
    },
    "Tokens": record(
        *("access_token", "token_type", "expires_in", "scope"),
        access_token=_STRING,
        token_type={"const": "Bearer"},
        expires_in={"type": "integer", "minimum": 1},
        scope=_SCOPE,
        id_token=_JWT | {"description": "with the scope openid"},
        refresh_token=text("with the scope offline_access"),
    ),
    "Claims": record(
        "sub",
        sub=text("the key for your own tables"),
        name=_STRING,
        given_name=_STRING,
        family_name=_STRING,
        picture=_STRING,
        updated_at=_SECONDS,
        email=_STRING,
        email_verified=_BOOLEAN,
    ),
    "SignedClaims": _JWT | {"description": "a JWT of typ userinfo+jwt, with iss and aud besides"},
    "Introspection": {"oneOf": [ref("InactiveToken"), ref("ActiveToken")]},
    "InactiveToken": record("active", active={"const": False}),
    "ActiveToken": record(
        *("active", "iss", "client_id", "sub", "scope", "iat", "exp"),
        active={"const": True},
        iss=_URL,
        client_id=_STRING,
        sub=_STRING,
        scope=_SCOPE,
        token_type={"const": "Bearer", "description": "of access tokens only"},
        iat=_SECONDS,
        exp=_SECONDS,
        aud={"oneOf": [_STRING, _STRINGS], "description": "the resources it was issued for"},
        sid=text("the session that it came from"),
    ),
    "ProtocolError": record(
        "error", error=text("the code of the standard"), error_description=_STRING
    ),
    "SignedIn": record("session", "user", session=ref("Session"), user=ref("User")),
    "Session": record(*_SESSION, **_SESSION),
    "User": record(*_USER, **_USER),
    "SessionToken": record(
        "token",
        token=_JWT | {"description": "a JWT of typ session+jwt, signed with RS256, for 15 minutes"},
    ),
    "SignInAddress": record("url", "redirect", url=_URL, redirect=_BOOLEAN),
    "Success": record("success", success={"const": True}),
    "Status": record("status", status={"const": True}),
    "Ok": record("ok", ok={"const": True}),
    "PublicClient": record(*_PUBLIC_CLIENT, **_PUBLIC_CLIENT),
    "Consent": record(*_CONSENT, **_CONSENT),
    "SessionError": record(
        "message", "code", message=_STRING, code=text("for programs, such as INVALID_ORIGIN")
    ),
}
