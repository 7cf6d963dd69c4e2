"""ID tokens: verified as a relying party would, with the published keys and another library."""

import pytest
from joserfc.errors import BadSignatureError
from sqlalchemy import update

from authservice.models import user
from tests.helpers.published_keys import ISSUER, at_hash_of, decoded

USER = "local-developer"
ALWAYS = {"iss", "sub", "aud", "exp", "iat", "auth_time", "at_hash", "sid"}
PROFILE = {"name", "given_name", "family_name", "preferred_username", "picture", "updated_at"}
EMAIL = {"email", "email_verified"}


def tokens_of(browser, client, **changes):
    return client.redeem(client.sign_in_with(browser, **changes)).json


def claims_of(browser, client, **changes):
    return decoded(tokens_of(browser, client, **changes)["id_token"], client.http)[1]


@pytest.mark.attack("RFC9700-4.6")
@pytest.mark.requirement("OIDC-CORE-2-1", "OIDC-CORE-2-2", "OIDC-CORE-2-4", "OIDC-CORE-2-5")
@pytest.mark.requirement("OIDC-CORE-3.1.3.6-1", "OIDC-CORE-15.1-1", "OIDC-DISCOVERY-4.3-2")
def test_it_says_who_signed_in_when_and_for_whom(browser, relying_party, turnable_clock):
    browser.sign_in()
    signed_in_at = int(turnable_clock.moment.timestamp())
    turnable_clock.advance(seconds=100)

    tokens = tokens_of(browser, relying_party)
    header, claims = decoded(tokens["id_token"], relying_party.http)

    assert header["alg"] == "RS256"
    assert header["typ"] == "JWT"
    assert claims["iss"] == ISSUER
    assert claims["sub"] == USER
    assert claims["aud"] == relying_party.client_id
    assert claims["iat"] == signed_in_at + 100
    assert claims["exp"] == claims["iat"] + 3600
    assert claims["auth_time"] == signed_in_at
    assert claims["nonce"] == "n-0S6_WzA2Mj"
    assert claims["sid"] == browser.session()["session"]["id"]
    assert claims["at_hash"] == at_hash_of(tokens["access_token"])


@pytest.mark.requirement("OIDC-CORE-2-8", "OIDC-CORE-16.3-1")
def test_an_altered_token_does_not_verify(browser, relying_party):
    head, body, signature = tokens_of(browser, relying_party)["id_token"].split(".")
    changed = body[:20] + ("A" if body[20] != "A" else "B") + body[21:]

    with pytest.raises(BadSignatureError):
        decoded(f"{head}.{changed}.{signature}", relying_party.http)


@pytest.mark.attack("FAILURES-31")
@pytest.mark.requirement("OIDC-CORE-2-1", "OIDC-CORE-5.4-4")
def test_it_holds_the_claims_of_the_granted_scopes_and_no_others(subtests, browser, relying_party):
    for scope, expected in (
        ("openid", set()),
        ("openid profile", PROFILE),
        ("openid email", EMAIL),
        ("email profile openid", PROFILE | EMAIL),
        ("openid offline_access", set()),
    ):
        with subtests.test(scope=scope, expected=expected):
            claims = claims_of(browser, relying_party, scope=scope, nonce=None)

            assert set(claims) == ALWAYS | expected


@pytest.mark.requirement("OIDC-CORE-5.3.2-6")
def test_userinfo_says_the_same(browser, relying_party):
    tokens = tokens_of(browser, relying_party)
    _, claims = decoded(tokens["id_token"], relying_party.http)

    told = relying_party.userinfo(tokens["access_token"]).json

    assert told.items() <= claims.items()


@pytest.mark.requirement("OIDC-CORE-5.1-1")
def test_claims_are_typed_as_the_standard_says(browser, relying_party):
    claims = claims_of(browser, relying_party)

    assert claims["name"] == "Local Developer"
    assert (claims["given_name"], claims["family_name"]) == ("Local", "Developer")
    assert claims["preferred_username"] == "local-developer"
    assert claims["email_verified"] is True
    assert isinstance(claims["updated_at"], int)
    assert claims["picture"].startswith("http")


@pytest.mark.requirement("OIDC-CORE-5.3.2-2")
def test_what_is_not_known_is_left_out(browser, relying_party, database):
    browser.sign_in()
    with database.transaction() as connection:
        connection.execute(update(user).values(name="Ada", image=None))

    claims = claims_of(browser, relying_party)

    assert claims["name"] == "Ada"
    assert not {"given_name", "family_name", "picture"} & set(claims)


@pytest.mark.attack("RFC9700-4.5", "OWASP-OAUTH-3")
@pytest.mark.requirement("OIDC-CORE-2-6")
def test_the_nonce_comes_back_exactly(subtests, browser, relying_party):
    for nonce in ("x", "n" * 64, "-._~" * 96, '"quoted" & ünïcode'):
        with subtests.test(nonce=nonce):
            assert claims_of(browser, relying_party, nonce=nonce)["nonce"] == nonce


@pytest.mark.requirement("OIDC-CORE-2-7")
@pytest.mark.parametrize("nonce", [None, ""])
def test_no_nonce_is_made_up(browser, relying_party, nonce):
    assert "nonce" not in claims_of(browser, relying_party, nonce=nonce)


@pytest.mark.requirement("OIDC-CORE-2-3", "OIDC-BCLOGOUT-2.1-3")
def test_a_new_sign_in_moves_auth_time_and_keeps_sub_and_sid(
    browser, relying_party, turnable_clock
):
    first = claims_of(browser, relying_party)
    turnable_clock.advance(seconds=2)
    same = claims_of(browser, relying_party)
    again = claims_of(browser, relying_party, prompt="login")

    assert same["auth_time"] == first["auth_time"]
    assert again["auth_time"] == first["auth_time"] + 2
    assert again["sid"] == first["sid"]
    assert same["sub"] == again["sub"] == first["sub"]


@pytest.mark.attack("FAILURES-22")
@pytest.mark.requirement("OIDC-CORE-12.2-1", "OIDC-CORE-12.2-2", "OIDC-CORE-12.2-3")
@pytest.mark.requirement("OIDC-CORE-12.2-4")
def test_a_refresh_brings_a_new_one_about_the_same_sign_in(browser, relying_party, turnable_clock):
    tokens = tokens_of(browser, relying_party)
    _, first = decoded(tokens["id_token"], relying_party.http)
    turnable_clock.advance(seconds=500)

    newer = relying_party.refresh(tokens["refresh_token"]).json
    _, second = decoded(newer["id_token"], relying_party.http)

    for name in ("iss", "sub", "aud", "auth_time", "sid", "email", "name"):
        assert second[name] == first[name]
    assert second["iat"] == first["iat"] + 500
    assert second["exp"] == second["iat"] + 3600
    assert second["at_hash"] == at_hash_of(newer["access_token"])
    assert "nonce" not in second


@pytest.mark.attack("TOKENS-id-token")
@pytest.mark.requirement("RFC9068-5-1", "OIDC-CORE-16.11-1")
def test_it_is_no_access_token(browser, relying_party):
    tokens = tokens_of(browser, relying_party)

    assert relying_party.userinfo(tokens["id_token"]).status_int == 401
