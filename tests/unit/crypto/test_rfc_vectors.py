"""The examples printed in the JOSE standards and in PKCE, run over our verification code.

Our tokens name their key and their kind; the standards' examples do not. So the examples go to
the step of ``jwt.verify`` that checks a signature, and to ``jwt.verify`` itself where it refuses.
"""

import json

import pytest
from jwcrypto.common import JWException, base64url_decode
from jwcrypto.jwk import JWK
from jwcrypto.jws import JWS
from oauthlib.oauth2.rfc6749.errors import InvalidGrantError

from authservice.crypto import jwt, signing_keys
from authservice.crypto.algorithms import ALGORITHMS
from authservice.oauth import pkce
from authservice.oauth.parameters import TOKEN, Parameters
from tests.unit.crypto import rfc_vectors as rfc

EXAMPLES = {
    "RFC 7515 A.2": (rfc.RFC7515_A2, rfc.RFC7515_RS256_KEY, "RS256"),
    "RFC 7515 A.3": (rfc.RFC7515_A3, rfc.RFC7515_ES256_KEY, "ES256"),
    "RFC 7520 4.1": (rfc.RFC7520_4_1, rfc.RFC7520_RSA_KEY, "RS256"),
    "RFC 7520 4.8.2": (rfc.RFC7520_4_8_2, rfc.RFC7520_RSA_KEY, "RS256"),
    "RFC 8037 A.5": (rfc.RFC8037_A4, rfc.RFC8037_PUBLIC_KEY, "EdDSA"),
}
# Genuine signatures by algorithms that are not ours.
FOREIGN = {
    "RFC 7515 A.1": (rfc.RFC7515_A1, rfc.RFC7515_HS256_KEY, "HS256"),
    "RFC 7515 A.4": (rfc.RFC7515_A4, rfc.RFC7515_ES512_KEY, "ES512"),
    "RFC 7520 4.2": (rfc.RFC7520_4_2, rfc.RFC7520_RSA_KEY, "PS384"),
    "RFC 7520 4.3": (rfc.RFC7520_4_3, rfc.RFC7520_EC_KEY, "ES512"),
    "RFC 7520 4.4": (rfc.RFC7520_4_4, rfc.RFC7520_MAC_KEY, "HS256"),
}
# What is no compact signed token at all.
OTHER_FORMS = {
    "RFC 7515 A.5": rfc.RFC7515_A5,
    "RFC 7520 4.5": rfc.RFC7520_4_5,
    "RFC 7520 4.6": json.dumps(rfc.RFC7520_4_6),
    "RFC 7520 4.7": json.dumps(rfc.RFC7520_4_7),
    "RFC 7520 4.8": json.dumps(rfc.RFC7520_4_8),
}
REFUSALS = (JWException, KeyError, TypeError, ValueError)


def _key(members, alg):
    """Return a key as our own are: with its id and its algorithm."""
    return signing_keys.verification_keys([{"kid": "example"} | members | {"alg": alg}])


def _payload(token, members, alg):
    (key,) = _key(members, alg).values()
    return jwt._signed_payload(jwt._parse(token, jwt._understood), key)


def test_an_example_by_one_of_our_algorithms_verifies(subtests):
    for case, (token, members, alg) in EXAMPLES.items():
        with subtests.test(case):
            assert _payload(token, members, alg) == base64url_decode(token.split(".")[1])


def test_an_example_changed_in_any_part_is_refused(subtests):
    for case, (token, members, alg) in EXAMPLES.items():
        with subtests.test(case):
            for part in range(3):
                parts = token.split(".")
                middle = len(parts[part]) // 2
                other = "A" if parts[part][middle] != "A" else "B"
                parts[part] = parts[part][:middle] + other + parts[part][middle + 1 :]

                with pytest.raises(REFUSALS):
                    _payload(".".join(parts), members, alg)


def test_an_example_is_refused_under_another_algorithm_of_ours(subtests):
    for case, (token, members, alg) in EXAMPLES.items():
        with subtests.test(case):
            for other in set(ALGORITHMS) - {alg}:
                with pytest.raises(REFUSALS):
                    _payload(token, members, other)


def test_an_example_by_a_foreign_algorithm_is_refused(subtests):
    for case, (token, members, alg) in FOREIGN.items():
        with subtests.test(case):
            # The library finds the signature good: it is our list of algorithms that refuses it.
            genuine = JWS()
            genuine.allowed_algs = [alg]
            genuine.deserialize(token, JWK(**members))
            assert genuine.is_valid

            for named in (alg, *ALGORITHMS):
                with pytest.raises(REFUSALS):
                    _payload(token, members, named)
                assert jwt.verify(token, _key(members, named), typ="JWT") is None


def test_an_example_without_signature_or_content_or_in_json_is_refused(subtests):
    for case, token in OTHER_FORMS.items():
        with subtests.test(case):
            for members in (rfc.RFC7520_RSA_KEY, rfc.RFC7520_EC_KEY, rfc.RFC7520_MAC_KEY):
                for alg in (*ALGORITHMS, "HS256", "none"):
                    with pytest.raises(REFUSALS):
                        _payload(token, members, alg)
                    assert jwt.verify(token, _key(members, alg), typ="JWT") is None


def test_an_example_is_no_token_of_ours(subtests):
    for case, (token, members, alg) in EXAMPLES.items():
        with subtests.test(case):
            assert jwt.verify(token, _key(members, alg), typ="JWT") is None


def test_the_flattened_form_of_a_token_of_ours_is_refused():
    key = signing_keys.generate("ES256", "kid")
    public = signing_keys.verification_keys([signing_keys.public_jwk(key)])
    token = jwt.sign({"sub": "user"}, key, typ="JWT")
    protected, payload, signature = token.split(".")
    flattened = {"payload": payload, "protected": protected, "signature": signature}

    assert jwt.verify(token, public, typ="JWT") == {"sub": "user"}
    assert jwt.verify(json.dumps(flattened), public, typ="JWT") is None


def test_our_signature_with_the_key_of_rfc_8037_is_the_printed_one():
    key = signing_keys.SigningKey(JWK(kid="example", alg="EdDSA", **rfc.RFC8037_PRIVATE_KEY))
    token = JWS(rfc.RFC8037_PAYLOAD)
    token.add_signature(key.jwk, alg=key.alg, protected='{"alg":"EdDSA"}')
    ours = jwt.sign({"sub": "user"}, key, typ="JWT")

    assert token.serialize(compact=True) == rfc.RFC8037_A4
    assert _payload(ours, rfc.RFC8037_PUBLIC_KEY, "EdDSA") == b'{"sub":"user"}'


@pytest.mark.parametrize(
    ("members", "thumbprint"),
    [
        pytest.param(rfc.RFC7638_KEY, rfc.RFC7638_THUMBPRINT, id="RFC 7638 3.1"),
        pytest.param(
            rfc.RFC8037_PUBLIC_KEY | {"kid": "example", "alg": "EdDSA"},
            rfc.RFC8037_THUMBPRINT,
            id="RFC 8037 A.3",
        ),
    ],
)
def test_a_key_that_we_publish_has_the_printed_thumbprint(members, thumbprint):
    (read,) = signing_keys.verification_keys([members]).values()
    published = signing_keys.public_jwk(signing_keys.SigningKey(read))

    assert published == members
    assert JWK(**published).thumbprint() == thumbprint


@pytest.mark.requirement("RFC7636-4.2-1", "RFC7636-4.6-1")
def test_the_verifier_of_rfc_7636_appendix_b_matches_its_challenge():
    verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    def check(sent):
        pkce.check_verifier(Parameters.read([("code_verifier", sent)], TOKEN), challenge)

    check(verifier)
    for wrong in (verifier[:-1] + "A", challenge):
        with pytest.raises(InvalidGrantError):
            check(wrong)
