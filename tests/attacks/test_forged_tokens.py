"""Key confusion: a token that says itself how to verify it is not believed, wherever it is shown.

Each forgery keeps the claims of a good token, so that only its signature can be at fault.
"""

import base64
import hashlib
import hmac
import json

import pytest
from jwcrypto.jwk import JWK
from jwcrypto.jws import JWS

from tests.helpers.end_session import END_SESSION
from tests.helpers.published_keys import JWKS, decoded
from tests.helpers.relying_party import USERINFO, RelyingParty
from tests.helpers.resource_file import resource_file
from tests.helpers.token_states import introspect

RESOURCE = "https://api.example.com/"
KIDS = ("../../../../dev/null", "/dev/null", "' OR '1'='1", "|id", "")


def _encode(value):
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


class Forger:
    """An attacker with a good token, the published keys and a server of their own."""

    def __init__(self, token, http, elsewhere):
        self.header, self.claims = decoded(token, http)
        self.signature = token.split(".")[2]
        keys = http.get(JWKS).json["keys"]
        self.published = next(key for key in keys if key["kid"] == self.header["kid"])
        self.own = JWK.generate(kty="RSA", size=2048, kid=self.header["kid"])
        self.elsewhere = elsewhere

    def forgeries(self):
        yield from self._unsigned()
        yield from self._with_a_secret_that_everybody_knows()
        yield from self._with_a_key_that_the_header_names()
        for kid in ([self.header["kid"]], 1, {"a": 1}, None, *KIDS):
            yield self._with_signature({"kid": kid}, self.signature)
        yield self._with_signature({"crit": ["exp"], "exp": 1}, self.signature)
        yield self._with_signature({"crit": ["b64"], "b64": False}, self.signature)
        yield self._with_signature({}, "A" * len(self.signature))
        yield self._with_signature({}, self.signature).rpartition(".")[0]

    def _unsigned(self):
        for alg in ("none", "None", "NONE", "nOnE", "", None):
            yield self._with_signature({"alg": alg}, "")
            yield self._with_signature({"alg": alg}, self.signature)

    def _with_a_secret_that_everybody_knows(self):
        pem = JWK(**self.published).export_to_pem()
        modulus = base64.urlsafe_b64decode(self.published["n"] + "==")
        for secret in (pem, pem.strip(), modulus, json.dumps(self.published).encode(), b""):
            yield self._with_hmac({"alg": "HS256"}, secret)
        for kid in KIDS:
            yield self._with_hmac({"alg": "HS256", "kid": kid}, b"")

    def _with_a_key_that_the_header_names(self):
        public = json.loads(self.own.export_public())
        for change in (
            {},
            {"jwk": public},
            {"jku": f"{self.elsewhere}/jwks"},
            {"x5u": f"{self.elsewhere}/certificate"},
            {"kid": f"{self.elsewhere}/jwks"},
        ):
            made = JWS(json.dumps(self.claims))
            made.add_signature(self.own, alg="RS256", protected=json.dumps(self.header | change))
            yield made.serialize(compact=True)

    def _content(self, change):
        return f"{_encode(self.header | change)}.{_encode(self.claims)}"

    def _with_signature(self, change, signature):
        return f"{self._content(change)}.{signature}"

    def _with_hmac(self, change, secret):
        content = self._content(change)
        code = hmac.digest(secret, content.encode(), hashlib.sha256)
        return f"{content}.{_encode(code)}"


@pytest.fixture
def app(make_app, tmp_path):
    return make_app(auth__resources=resource_file(tmp_path, RESOURCE))


@pytest.fixture
def client(app, database):
    return RelyingParty.registered(app, database, enable_end_session=True, resources=[RESOURCE])


@pytest.fixture
def tokens(browser, client):
    return client.redeem(client.sign_in_with(browser, resource=RESOURCE)).json


@pytest.mark.attack(
    "TOKENS-alg-none",
    "TOKENS-hs256",
    "TOKENS-embedded-jwk",
    "TOKENS-jku",
    "TOKENS-kid",
    "FAILURES-7",
    "RFC6819-4.6.3",
)
def test_a_forged_id_token_is_no_hint(browser, client, tokens, inside):
    address, received = inside
    forger = Forger(tokens["id_token"], client.http, address)

    for forged in forger.forgeries():
        answer = client.answer(client.authorize(browser, id_token_hint=forged, prompt="none"))
        assert answer["error"] == "invalid_request", forged
        left = browser.get(END_SESSION, {"id_token_hint": forged})
        assert left.html.find(id="logout-confirm") is not None, forged
    assert browser.session() is not None
    assert received == []


def _lengthened(signature, octets):
    """Return both halves of a signature with zero octets before them."""
    value = base64.urlsafe_b64decode(signature + "=" * (-len(signature) % 4))
    half = len(value) // 2
    return _encode(bytes(octets) + value[:half] + bytes(octets) + value[half:])


@pytest.mark.attack("TOKENS-signature-form")
@pytest.mark.parametrize("alg", ["RS256", "ES256", "EdDSA"])
def test_an_id_token_with_its_own_signature_written_otherwise_is_no_hint(
    app, browser, database, alg
):
    client = RelyingParty.registered(app, database, id_token_signed_response_alg=alg)
    genuine = client.redeem(client.sign_in_with(browser)).json["id_token"]
    content, _, signature = genuine.rpartition(".")
    parameters = {"prompt": "none", "id_token_hint": genuine}
    assert "code" in client.answer(client.authorize(browser, **parameters))

    for octets in (1, 32):
        parameters["id_token_hint"] = f"{content}.{_lengthened(signature, octets)}"
        answer = client.answer(client.authorize(browser, **parameters))
        assert answer["error"] == "invalid_request"


@pytest.mark.attack(
    "TOKENS-alg-none",
    "TOKENS-hs256",
    "TOKENS-embedded-jwk",
    "TOKENS-jku",
    "TOKENS-kid",
    "RFC6819-4.6.3",
    "FAILURES-7",
)
def test_a_forged_access_token_opens_nothing(client, tokens, inside):
    address, received = inside
    forger = Forger(tokens["access_token"], client.http, address)

    for forged in forger.forgeries():
        headers = {"Authorization": f"Bearer {forged}"}
        answer = client.http.get(USERINFO, headers=headers, expect_errors=True)
        assert answer.status_int in {400, 401}, forged
        assert introspect(client, forged).json == {"active": False}, forged
    assert introspect(client, tokens["access_token"]).json["active"] is True
    assert received == []
