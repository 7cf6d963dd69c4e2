"""From the accounts of the provider to profiles: what is taken over, and what is refused."""

import pytest

from authservice.identity_provider import SignInFailedError, github_profile


def address(email, *, primary=False, verified=True):
    return {"email": email, "primary": primary, "verified": verified, "visibility": None}


def refusal(sign_in, login="octocat"):
    with pytest.raises(SignInFailedError) as failure:
        sign_in.profile(login)
    return failure.value.code


def test_an_account_without_a_name_is_called_by_its_login(sign_in):
    assert sign_in.profile("hubot").name == "hubot"


def test_a_name_that_is_none_is_replaced_by_the_login(subtests, sign_in, identity_provider_standin):
    for name in (None, "", "  ", "\x00", "\u200b\u3164\u2800", 5):
        with subtests.test(name=name):
            identity_provider_standin.account("octocat", name=name)

            assert sign_in.profile().name == "octocat"


def test_a_name_has_at_most_two_hundred_characters(subtests, sign_in, identity_provider_standin):
    for name, kept in (
        ("M" * 200, "M" * 200),
        ("M" * 201, "M" * 200),
        ("M" * 199 + " Smith", "M" * 199),
        ("\x00" * 300 + "Mona", "Mona"),
        ("\u200b" * 200 + "Mona", "octocat"),
        ("🦊" * 10_000, "🦊" * 200),
    ):
        with subtests.test(name=name[:10], length=len(name)):
            identity_provider_standin.account("octocat", name=name)

            assert sign_in.profile().name == kept


def test_an_account_without_name_and_login_is_called_by_its_number(subtests):
    for login in (None, "", "\u200b", 7):
        with subtests.test(login=login):
            account = {"login": login, "name": " ", "id": 583231}

            assert github_profile.profile("github", account).name == "583231"


def test_a_name_keeps_its_letters_and_loses_what_no_database_holds(
    sign_in, identity_provider_standin
):
    identity_provider_standin.account("octocat", name=" Zoë\x00 \ud83d\ude00 a\u200cb\ud800 ")

    assert sign_in.profile().name == "Zoë \U0001f600 a\u200cb"


def test_an_unverified_address_is_none(sign_in):
    profile = sign_in.profile("newcomer")

    assert (profile.email, profile.email_verified) == (None, False)


@pytest.mark.requirement("OIDC-CORE-5.1-2")
def test_only_true_means_verified(subtests, sign_in, identity_provider_standin):
    for verified in ("true", 1, None, "yes"):
        with subtests.test(verified=verified):
            entry = address("mona@example.com", primary=True, verified=verified)
            identity_provider_standin.account("octocat", emails=[entry])

            assert sign_in.profile().email_verified is False


def test_the_primary_address_is_taken_wherever_it_stands(sign_in, identity_provider_standin):
    addresses = [address("one@example.com"), address("two@example.com", primary=True)]
    identity_provider_standin.account("octocat", email="one@example.com", emails=addresses)

    assert sign_in.profile().email == "two@example.com"


def test_without_a_verified_primary_address_another_verified_one_is_taken(
    subtests, sign_in, identity_provider_standin
):
    for primary in (True, False):
        with subtests.test(primary=primary):
            unverified = address("one@example.com", primary=primary, verified=False)
            addresses = [unverified, address("two@example.com")]
            identity_provider_standin.account("octocat", emails=addresses)

            profile = sign_in.profile()
            assert (profile.email, profile.email_verified) == ("two@example.com", True)


def test_the_primary_address_is_found_on_a_later_page(sign_in, identity_provider_standin):
    many = [address(f"{number}@example.com") for number in range(150)]
    identity_provider_standin.account(
        "octocat", emails=[*many, address("last@example.com", primary=True)]
    )

    assert sign_in.profile().email == "last@example.com"
    pages = identity_provider_standin.requests("/api/user/emails")
    assert [page["query"] for page in pages] == [
        {"per_page": "100", "page": "1"},
        {"per_page": "100", "page": "2"},
    ]


def test_one_page_is_enough_when_it_has_the_primary_address(sign_in, identity_provider_standin):
    many = [address(f"{number}@example.com", primary=number == 0) for number in range(150)]
    identity_provider_standin.account("octocat", emails=many)
    sign_in.profile()

    assert len(identity_provider_standin.requests("/api/user/emails")) == 1


def test_the_pages_come_to_an_end(sign_in, identity_provider_standin):
    many = [address(f"{number}@example.com") for number in range(1000)]
    identity_provider_standin.account("octocat", emails=many)
    sign_in.profile()

    assert len(identity_provider_standin.requests("/api/user/emails")) == 3


def test_an_account_without_an_address_is_somebody_all_the_same(sign_in, identity_provider_standin):
    identity_provider_standin.account("octocat", email=None, emails=[])

    profile = sign_in.profile()
    assert (profile.account_id, profile.email) == ("583231", None)


def test_what_is_no_address_is_not_taken_for_one(subtests, sign_in, identity_provider_standin):
    for email in (
        *("", "mona", "@example.com", "mona@", "a b@example.com", "mona@x\x00", None, 7),
        "m" * 245 + "@github.io",
    ):
        with subtests.test(email=email):
            identity_provider_standin.account(
                "octocat", email=email, emails=[address(email, primary=True), "mona@example.com"]
            )

            assert sign_in.profile().email is None


def test_the_public_address_does_not_stand_in_when_the_list_is_hidden(
    sign_in, identity_provider_standin
):
    url = sign_in.provider.authorization_url("s", "v").replace("user%3Aemail", "")
    location = identity_provider_standin.allow(url, "hubot")
    code = location.partition("code=")[2].partition("&")[0]

    profile = sign_in.provider.profile(code, "v")

    assert (profile.email, profile.email_verified) == (None, False)
    assert (profile.scope, profile.addresses_unread) == ("read:user", False)


@pytest.mark.attack("FAILURES-49")
def test_an_account_without_a_number_as_its_id_is_refused(
    subtests, sign_in, identity_provider_standin
):
    for account_id in ("", None, True, False, 0, -1, 2**63, "583231", 1.5, [], {}):
        with subtests.test(account_id=account_id):
            identity_provider_standin.account("octocat", id=account_id)

            assert refusal(sign_in) == "unable_to_get_user_info"


def test_a_picture_comes_by_https_or_not_at_all(subtests, sign_in, identity_provider_standin):
    http = "http://example.com/a.png"
    for avatar_url in (http, "javascript:alert(1)", "", None, 3, "https://x\x00"):
        with subtests.test(avatar_url=avatar_url):
            identity_provider_standin.account("octocat", avatar_url=avatar_url)

            assert sign_in.profile().image is None


def test_a_suspended_account_of_an_enterprise_server_is_refused(sign_in, identity_provider_standin):
    identity_provider_standin.account("octocat", suspended_at="2026-01-01T00:00:00Z")

    assert refusal(sign_in) == "account_suspended"


def test_an_account_whose_tokens_are_refused_as_suspended_is_refused(
    sign_in, identity_provider_standin
):
    identity_provider_standin.account("octocat", blocked=True)

    assert refusal(sign_in) == "account_suspended"
