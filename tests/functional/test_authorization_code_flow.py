"""The authorization code flow, from the first request to the tokens."""


def test_a_person_signs_in_allows_and_the_client_gets_tokens(browser, relying_party):
    code = relying_party.sign_in_with(browser)

    answer = relying_party.redeem(code)

    assert answer.status_int == 200
    assert set(answer.json) == {
        "access_token",
        "refresh_token",
        "id_token",
        "token_type",
        "expires_in",
        "scope",
    }
    claims = relying_party.userinfo(answer.json["access_token"]).json
    assert claims["sub"] == "local-developer"


def test_a_code_is_worth_one_token_response(browser, relying_party):
    code = relying_party.sign_in_with(browser)

    first = relying_party.redeem(code)
    second = relying_party.redeem(code)

    assert first.status_int == 200
    assert second.status_int == 400
    assert second.json["error"] == "invalid_grant"
    assert relying_party.userinfo(first.json["access_token"]).status_int == 401
