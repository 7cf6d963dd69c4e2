"""What a client may be registered for: another algorithm, minimal ID tokens, signed userinfo."""

import pytest
from joserfc.errors import JoseError

from tests.helpers.published_keys import ISSUER, at_hash_of, decoded
from tests.helpers.relying_party import USERINFO, RelyingParty
from tests.helpers.resource_file import resource_file

ALGORITHMS = ["RS256", "ES256", "EdDSA"]
PROFILE = {
    *("name", "given_name", "family_name"),
    *("preferred_username", "picture", "updated_at"),
}
EMAIL = {"email", "email_verified"}


@pytest.fixture
def register(app, database):
    return lambda **changes: RelyingParty.registered(app, database, **changes)


def tokens_of(browser, client, **changes):
    return client.redeem(client.sign_in_with(browser, **changes)).json


@pytest.mark.requirement("OIDC-CORE-3.1.3.6-1", "OIDC-CORE-10.1-1")
@pytest.mark.parametrize("alg", ALGORITHMS)
def test_id_tokens_are_signed_with_the_client_s_algorithm(browser, register, alg):
    client = register(id_token_signed_response_alg=alg)
    tokens = tokens_of(browser, client)

    header, claims = decoded(tokens["id_token"], client.http, alg)

    published = {key["kid"]: key["alg"] for key in client.http.get("/api/auth/jwks").json["keys"]}
    assert header["alg"] == published[header["kid"]] == alg
    assert header["typ"] == "JWT"
    assert claims["at_hash"] == at_hash_of(tokens["access_token"], alg)


@pytest.mark.parametrize("alg", ALGORITHMS)
def test_refreshed_ones_too(browser, register, alg):
    client = register(id_token_signed_response_alg=alg)
    first = tokens_of(browser, client)

    newer = client.refresh(first["refresh_token"]).json

    _, claims = decoded(newer["id_token"], client.http, alg)
    assert claims["at_hash"] == at_hash_of(newer["access_token"], alg)


def test_each_of_them_is_known_again_and_only_unaltered(subtests, browser, register):
    for alg in ALGORITHMS:
        for used in ("id_token_hint", "altered"):
            with subtests.test(alg=alg, used=used):
                client = register(id_token_signed_response_alg=alg)
                head, body, signature = tokens_of(browser, client)["id_token"].split(".")
                if used == "altered":
                    body = body[:20] + ("A" if body[20] != "A" else "B") + body[21:]
                hint = f"{head}.{body}.{signature}"

                answer = client.answer(client.authorize(browser, prompt="none", id_token_hint=hint))

                assert ("code" in answer) is (used == "id_token_hint")


@pytest.mark.attack("FAILURES-33")
@pytest.mark.requirement("OIDC-CORE-2-9", "OIDC-CORE-15.1-1")
def test_without_a_choice_it_is_rs256(browser, register):
    client = register()
    token = tokens_of(browser, client)["id_token"]

    assert decoded(token, client.http)[0]["alg"] == "RS256"
    with pytest.raises(JoseError):
        decoded(token, client.http, "ES256")


@pytest.mark.requirement("RFC9068-2.1-4")
def test_access_tokens_for_resources_stay_rs256(make_app, database, browser, tmp_path):
    app = make_app(auth__resources=resource_file(tmp_path, "https://api.example.com/"))
    client = RelyingParty.registered(
        app,
        database,
        id_token_signed_response_alg="ES256",
        resources=["https://api.example.com/"],
    )
    browser = type(browser)(app)

    tokens = tokens_of(browser, client, resource="https://api.example.com/")

    assert decoded(tokens["access_token"], client.http)[0]["alg"] == "RS256"
    _, claims = decoded(tokens["id_token"], client.http, "ES256")
    assert claims["at_hash"] == at_hash_of(tokens["access_token"], "ES256")


def test_a_minimal_id_token_leaves_the_person_to_userinfo(browser, register):
    client = register(minimal_id_token=True)
    tokens = tokens_of(browser, client)

    _, claims = decoded(tokens["id_token"], client.http)

    required = {"iss", "sub", "aud", "exp", "iat", "auth_time", "at_hash", "sid", "nonce"}
    assert set(claims) == required
    told = client.userinfo(tokens["access_token"]).json
    assert set(told) == {"sub"} | PROFILE | EMAIL


def test_a_minimal_id_token_stays_so_after_a_refresh(browser, register):
    client = register(minimal_id_token=True)
    newer = client.refresh(tokens_of(browser, client)["refresh_token"]).json

    _, claims = decoded(newer["id_token"], client.http)

    assert not set(claims) & (PROFILE | EMAIL)


@pytest.mark.requirement("OIDC-CORE-5.3.2-4", "OIDC-CORE-5.3.2-5")
@pytest.mark.parametrize("alg", ALGORITHMS)
def test_userinfo_is_a_jwt_for_clients_registered_so(browser, register, alg):
    client = register(userinfo_signed_response_alg=alg)
    tokens = tokens_of(browser, client, scope="openid email")

    answer = client.userinfo(tokens["access_token"])

    assert answer.status_int == 200
    assert answer.content_type == "application/jwt"
    assert answer.headers["Cache-Control"] == "no-store"
    header, claims = decoded(answer.text, client.http, alg)
    assert header["alg"] == alg
    assert header["typ"] == "userinfo+jwt"
    assert claims == {
        "iss": ISSUER,
        "aud": client.client_id,
        "sub": "local-developer",
        "email": browser.session()["user"]["email"],
        "email_verified": True,
    }


@pytest.mark.requirement("OIDC-CORE-5.3.2-3")
def test_the_id_token_s_algorithm_says_nothing_of_userinfo(browser, register):
    client = register(id_token_signed_response_alg="ES256")

    answer = client.userinfo(tokens_of(browser, client)["access_token"])

    assert answer.content_type == "application/json"


@pytest.mark.requirement("OIDC-CORE-5.3.3-1")
def test_signed_userinfo_by_post_too_and_errors_stay_json(browser, register):
    client = register(userinfo_signed_response_alg="RS256")
    tokens = tokens_of(browser, client)

    answer = client.http.post(USERINFO, {"access_token": tokens["access_token"]})
    refused = client.userinfo("unknown")

    assert answer.content_type == "application/jwt"
    assert refused.content_type == "application/json"
    assert refused.json["error"] == "invalid_token"


@pytest.mark.attack("TOKENS-kind")
def test_signed_userinfo_is_no_id_token_and_no_access_token(browser, register):
    client = register(userinfo_signed_response_alg="RS256")
    signed = client.userinfo(tokens_of(browser, client)["access_token"]).text

    hinted = client.answer(client.authorize(browser, id_token_hint=signed))

    assert hinted["error"] == "invalid_request"
    assert client.userinfo(signed).status_int == 401
