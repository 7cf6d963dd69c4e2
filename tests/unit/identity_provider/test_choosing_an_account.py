"""Another account: a person who is signed in and signs in again chooses which account to use."""

from urllib.parse import parse_qs, urlsplit


def test_the_provider_is_told_to_ask_only_when_it_should(subtests, sign_in):
    for choose, prompt in ((True, ["select_account"]), (False, None)):
        with subtests.test(choose=choose):
            url = sign_in.provider.authorization_url("state", "v" * 43, choose_account=choose)

            assert parse_qs(urlsplit(url).query).get("prompt") == prompt
