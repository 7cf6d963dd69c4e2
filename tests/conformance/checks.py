"""What the suite checks in almost every module, one function for each kind of answer."""

import base64
import hashlib
import math
import re
from collections import Counter
from urllib.parse import parse_qsl, urlsplit

from joserfc import jwt
from joserfc.jwk import KeySet

# What tells a client that the person has to be shown a page (OIDC Core, 3.1.2.6).
INTERACTION_ERRORS = {
    "login_required",
    "interaction_required",
    "account_selection_required",
    "consent_required",
}

_ERROR_MEMBERS = {"error", "error_description", "error_uri", "state", "session_state", "iss"}
_PRIVATE_MEMBERS = {"d", "p", "q", "dp", "dq", "qi", "oth", "k"}
_CURVES = {"P-256", "P-384", "P-521", "Ed25519"}
# Printable ASCII without the quote and the backslash (RFC 6749, section 5.2).
_DESCRIPTION = re.compile(r"[\x20-\x21\x23-\x5B\x5D-\x7E]+")
_VISIBLE = re.compile(r"[\x21-\x7E]+")
_SKEW = 5 * 60
_LONG_AGO = 946684800

_ID_TOKEN = {"iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "acr"} | {
    "at_hash",
    "c_hash",
    "s_hash",
    "nbf",
    "jti",
    "sid",
    "amr",
    "azp",
    "txn",
}
_STRINGS = {
    "sub",
    "name",
    "given_name",
    "family_name",
    "middle_name",
    "nickname",
    "preferred_username",
    "profile",
    "picture",
    "website",
    "email",
    "gender",
    "zoneinfo",
    "locale",
    "phone_number",
}
_BOOLEANS = {"email_verified", "phone_number_verified"}
_BIRTHDATE = re.compile(r"\d{4}(-\d{2}-\d{2})?")


def metadata(answer, issuer):
    """Check what every module needs of the metadata."""
    assert answer.status_int == 200
    assert answer.content_type == "application/json"
    found = answer.json
    assert found["issuer"] == issuer
    for name in ("authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri"):
        assert name in found
    endpoints(found)


def endpoints(found):
    """Check that every endpoint of the metadata is an https address."""
    for name, value in found.items():
        if name == "issuer" or name.endswith(("_endpoint", "_uri", "_iframe")):
            parts = urlsplit(value)
            assert parts.scheme == "https", name
            assert parts.hostname, name
            assert not parts.fragment, name


def keys(answer):
    """Return the published keys: public ones, each with a name of its own."""
    assert answer.status_int == 200
    found = answer.json["keys"]
    kids = [key["kid"] for key in found]
    assert found
    assert all(isinstance(kid, str) and kid for kid in kids)
    assert len(set(kids)) == len(kids)
    for key in found:
        assert not _PRIVATE_MEMBERS & set(key)
        assert key["kty"] in {"RSA", "EC", "OKP"}
        assert key.get("crv") in {None, *_CURVES}
        for name in {"n", "e", "x", "y"} & set(key):
            assert re.fullmatch(r"[A-Za-z0-9_-]+", key[name]), "unpadded base64url is wanted"
    return KeySet.import_key_set(answer.json)


def authorization_response(callback, request, issuer, *, form_post):
    """Return the parameters of an answer, success or error, that came as it was requested."""
    redirect_uri = request["redirect_uri"]
    own_query = parse_qsl(urlsplit(redirect_uri).query, keep_blank_values=True)
    if form_post:
        assert callback.method == "POST"
        assert callback.address == redirect_uri
        assert callback.query == own_query
        pairs = list(callback.form)
    else:
        assert callback.method == "GET"
        assert callback.address.startswith(f"{redirect_uri}{'&' if own_query else '?'}")
        assert callback.query[: len(own_query)] == own_query
        pairs = callback.query[len(own_query) :]
    found = dict(pairs)
    assert len(found) == len(pairs), pairs
    assert found.get("state") == request.get("state")
    assert found["iss"] == issuer
    if "error" in found:
        error_parameters(found)
        assert set(found) <= _ERROR_MEMBERS
    else:
        assert set(found) <= {"code", "state", "iss"}
    return found


def error_parameters(found):
    """Check what is said of an error, in a redirect or in a body."""
    assert "code" not in found
    assert _DESCRIPTION.fullmatch(found["error"])
    assert _DESCRIPTION.fullmatch(found.get("error_description", "absent"))
    assert "://" in found.get("error_uri", "absent://")


def code(found):
    """Return the code of a successful answer, which cannot be guessed."""
    assert "error" not in found, found
    secret(found["code"])
    return found["code"]


def secret(value, bits=128):
    """Check the length of a secret value, and its measured entropy."""
    assert _VISIBLE.fullmatch(value)
    assert len(value) * 8 >= bits
    counts = Counter(value).values()
    each = -sum(count / len(value) * math.log2(count / len(value)) for count in counts)
    assert each * len(value) > 96, value


def token_response(answer, *, id_token=True):
    """Return the content of a successful token response."""
    assert answer.status_int == 200, answer
    assert answer.content_type == "application/json"
    assert "no-store" in answer.headers["Cache-Control"]
    found = answer.json
    secret(found["access_token"])
    assert found["token_type"].lower() == "bearer"
    assert type(found["expires_in"]) is int
    assert found["expires_in"] > 0
    if id_token:
        assert isinstance(found["id_token"], str)
    if "refresh_token" in found:
        secret(found["refresh_token"])
    return found


def token_error(answer, error):
    """Check an error of the token endpoint."""
    assert answer.status_int == 400, answer
    assert answer.content_type == "application/json"
    assert "no-store" in answer.headers["Cache-Control"]
    assert answer.json["error"] == error
    assert set(answer.json) <= {"error", "error_description", "error_uri"}
    error_parameters(answer.json)


def signature(token, published, alg):
    """Return the claims of a token that the published key of its kid verifies."""
    assert token.count(".") == 2, "signed, and not encrypted"
    found = jwt.decode(token, published, algorithms=[alg])
    assert found.header["alg"] == alg
    assert published.get_by_kid(found.header["kid"])
    return found.claims


def id_token(claims, request, *, issuer, now, access_token):
    """Check the claims of an ID token against the request; it has none that nobody requested."""
    assert claims["iss"] == issuer
    audience = claims["aud"]
    assert request["client_id"] in (audience if isinstance(audience, list) else [audience])
    assert claims.get("azp", request["client_id"]) == request["client_id"]
    for name in ("exp", "iat", "auth_time"):
        assert type(claims[name]) is int, name
    assert claims["exp"] > now - _SKEW
    assert abs(claims["iat"] - now) <= _SKEW
    assert _LONG_AGO < claims["auth_time"] <= now + _SKEW
    assert isinstance(claims["sub"], str)
    assert 0 < len(claims["sub"]) <= 255
    assert claims.get("nonce") == request.get("nonce")
    if "acr" in claims:
        assert isinstance(claims["acr"], str)
        assert claims["acr"]
    if "acr_values" in request:
        assert claims["acr"] in request["acr_values"].split()
    half = hashlib.sha256(access_token.encode()).digest()[:16]
    assert claims.get("at_hash") in {
        None,
        base64.urlsafe_b64encode(half).rstrip(b"=").decode(),
    }
    standard_claims(claims)
    assert set(claims) <= _ID_TOKEN


def standard_claims(claims):
    """Check the types of the claims about a person (OIDC Core, 5.1)."""
    for name in _STRINGS & set(claims):
        assert isinstance(claims[name], str), name
        assert claims[name].strip() not in {"", "null"}, name
    for name in _BOOLEANS & set(claims):
        assert isinstance(claims[name], bool), name
    if "updated_at" in claims:
        assert type(claims["updated_at"]) in {int, float}
        assert claims["updated_at"] > _LONG_AGO
    assert _BIRTHDATE.fullmatch(claims.get("birthdate", "2000"))
    assert all(isinstance(line, str) for line in claims.get("address", {}).values())


def userinfo(answer, sub):
    """Return the claims of a userinfo response about the person that was signed in."""
    assert answer.status_int == 200, answer
    assert answer.content_type == "application/json"
    found = answer.json
    assert found["sub"] == sub
    standard_claims(found)
    return found


def page_of_provider(outcome):
    """Return the page on which the browser stayed, with its words."""
    assert outcome.callback is None, outcome.callback
    return " ".join(outcome.page.html.get_text(" ").split())
