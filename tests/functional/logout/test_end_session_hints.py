"""RP-initiated logout with what is no ID token of ours: the person is prompted, and led nowhere."""

import base64
import hashlib
import hmac
import json

import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey

from tests.helpers.browser import Browser
from tests.helpers.end_session import BYE, ask, is_confirmation, shows_signed_out
from tests.helpers.published_keys import JWKS, decoded
from tests.helpers.relying_party import RelyingParty


@pytest.fixture
def client(app, database):
    return RelyingParty.registered(
        app, database, enable_end_session=True, post_logout_redirect_uris=[BYE]
    )


def signed_in(browser, client):
    """Sign in; return the ID token."""
    return client.redeem(client.sign_in_with(browser)).json["id_token"]


@pytest.fixture
def hint(browser, client):
    return signed_in(browser, client)


def encoded(content):
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def segment(content):
    return encoded(json.dumps(content).encode())


def published_key(hint, client):
    header, _ = decoded(hint, client.http)
    (found,) = [key for key in client.http.get(JWKS).json["keys"] if key["kid"] == header["kid"]]
    return found


def unsigned(hint, client):
    header, _ = decoded(hint, client.http)
    return f"{segment(header | {'alg': 'none'})}.{hint.split('.')[1]}."


def unsigned_with_the_old_signature(hint, client):
    return unsigned(hint, client) + hint.split(".")[2]


def signed_with_the_public_key(hint, client):
    header, claims = decoded(hint, client.http)
    secret = RSAKey.import_key(published_key(hint, client)).as_pem(private=False)
    content = f"{segment(header | {'alg': 'HS256'})}.{segment(claims)}"
    return f"{content}.{encoded(hmac.digest(secret, content.encode(), hashlib.sha256))}"


def signed_with_another_key(hint, client):
    return jwt.encode(*decoded(hint, client.http), RSAKey.generate_key(2048))


def with_its_key_inside(hint, client):
    header, claims = decoded(hint, client.http)
    key = RSAKey.generate_key(2048)
    return jwt.encode(header | {"jwk": key.as_dict(private=False)}, claims, key)


def changed(hint, client):
    head, _, signature = hint.split(".")
    _, claims = decoded(hint, client.http)
    return f"{head}.{segment(claims | {'acr': '1'})}.{signature}"


def without_a_kid(hint, client):
    header, claims = decoded(hint, client.http)
    return f"{segment({'alg': header['alg'], 'typ': 'JWT'})}.{segment(claims)}.{hint.split('.')[2]}"


def in_json_form(hint, _client):
    head, body, signature = hint.split(".")
    return json.dumps({"protected": head, "payload": body, "signature": signature})


def cut(hint, _client):
    return hint[:-4]


def junk(_hint, _client):
    return "junk"


FORGERIES = (
    unsigned,
    unsigned_with_the_old_signature,
    signed_with_the_public_key,
    signed_with_another_key,
    with_its_key_inside,
    changed,
    without_a_kid,
    in_json_form,
    cut,
    junk,
)


@pytest.mark.attack("TOKENS-hs256", "FAILURES-27")
@pytest.mark.requirement("OIDC-RPLOGOUT-2-2")
def test_a_forged_hint_asks_and_leads_nowhere(subtests, app, client):
    for forge in FORGERIES:
        with subtests.test(forge=forge.__name__):
            browser = Browser(app)
            forged = forge(signed_in(browser, client), client)

            page = is_confirmation(ask(browser, forged, post_logout_redirect_uri=BYE, state="s"))

            assert browser.session() is not None
            shows_signed_out(browser, page.forms[0].submit("decision", value="sign-out"))


@pytest.mark.requirement("OIDC-RPLOGOUT-6-1")
def test_a_forged_hint_proves_nothing_beside_a_client_id(subtests, app, client):
    for forge in (signed_with_the_public_key, junk):
        with subtests.test(forge=forge.__name__):
            browser = Browser(app)
            forged = forge(signed_in(browser, client), client)

            is_confirmation(ask(browser, forged, client_id=client.client_id))
            assert browser.session() is not None


@pytest.mark.requirement("OIDC-RPLOGOUT-2-2")
def test_what_is_no_id_token_of_ours_asks(subtests, browser, client, hint):
    for typ, changes in (
        ("logout+jwt", {}),
        ("at+jwt", {}),
        ("session+jwt", {}),
        ("userinfo+jwt", {}),
        ("JWT", {"iss": "https://elsewhere.example.com"}),
        ("JWT", {"sub": None}),
        ("JWT", {"aud": None}),
        ("JWT", {"aud": "nobody"}),
    ):
        with subtests.test(typ=typ, changes=changes):
            _, claims = decoded(hint, client.http)
            keys = browser.app.registry.components.signing_keys

            other = keys.sign(claims | changes, alg="RS256", typ=typ)

            is_confirmation(ask(browser, other, post_logout_redirect_uri=BYE))
            assert browser.session() is not None
