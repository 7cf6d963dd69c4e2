"""Where a sign-in leads back to."""

import pytest

from authservice.web.request.origins import Origins
from authservice.web.sign_in.return_target import (
    FirstPartyReturn,
    OAuthReturn,
    RefusedReturnError,
    address,
    error_address,
    from_parameters,
    sign_in_address,
)
from tests.unit.settings.loading import production

AUTH = "https://auth.example.com"
APP = "https://app.example.com"
WAITING = OAuthReturn("sealed value")
PLAIN = FirstPartyReturn("/account", None, None)
FULL = FirstPartyReturn(f"{APP}/home", f"{APP}/sorry", f"{APP}/welcome")


@pytest.fixture(scope="module")
def origins():
    return Origins(production())


def test_addresses_on_trusted_origins_are_taken_as_they_are(origins):
    checked = FirstPartyReturn.checked(origins, f"{APP}/home", f"{APP}/sorry", f"{APP}/welcome")

    assert checked == FULL


def test_without_an_address_it_is_the_first_page(origins):
    assert FirstPartyReturn.checked(origins, None, None, None) == FirstPartyReturn("/", None, None)


@pytest.mark.parametrize(
    ("place", "parameter", "code"),
    [
        (0, "callbackURL", "INVALID_CALLBACK_URL"),
        (1, "errorCallbackURL", "INVALID_ERROR_CALLBACK_URL"),
        (2, "newUserCallbackURL", "INVALID_NEW_USER_CALLBACK_URL"),
    ],
)
def test_an_address_elsewhere_is_refused_by_name(origins, place, parameter, code):
    urls = ["/", "/", "/"]
    urls[place] = "https://evil.example/"

    with pytest.raises(RefusedReturnError) as refused:
        FirstPartyReturn.checked(origins, *urls)

    assert (refused.value.parameter, refused.value.code) == (parameter, code)
    assert str(refused.value) == refused.value.message
    assert parameter in refused.value.message


@pytest.mark.attack("EXHAUSTION-disk")
def test_what_grows_by_its_encoding_is_refused_where_it_is_too_long(origins):
    longest = "/" + "é" * 4095
    checked = FirstPartyReturn.checked(origins, longest, None, None)

    assert len(checked.callback_url) == 24 * 1024 - 5
    for urls in ((f"{longest}é", None, None), (longest, None, "/welcome")):
        with pytest.raises(RefusedReturnError) as refused:
            FirstPartyReturn.checked(origins, *urls)
        assert "24576 characters" in refused.value.message


@pytest.mark.parametrize("target", [WAITING, PLAIN, FULL])
def test_a_target_comes_back_from_storage_as_it_was(target):
    assert from_parameters(target.parameters()) == target


def test_where_the_browser_goes_after_signing_in(subtests):
    for target, new_user, expected in (
        (WAITING, False, f"{AUTH}/api/auth/oauth2/authorize?interaction=sealed+value"),
        (WAITING, True, f"{AUTH}/api/auth/oauth2/authorize?interaction=sealed+value"),
        (PLAIN, False, f"{AUTH}/account"),
        (PLAIN, True, f"{AUTH}/account"),
        (FULL, False, f"{APP}/home"),
        (FULL, True, f"{APP}/welcome"),
        (FirstPartyReturn("/", None, "/new"), True, f"{AUTH}/new"),
    ):
        with subtests.test(target=target, new_user=new_user, expected=expected):
            assert address(target, AUTH, new_user=new_user) == expected


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        (WAITING, f"{AUTH}/sign-in?interaction=sealed+value"),
        (PLAIN, f"{AUTH}/sign-in?callbackURL=%2Faccount"),
        (
            FirstPartyReturn("/", "/sorry", "/new"),
            f"{AUTH}/sign-in?callbackURL=%2F&errorCallbackURL=%2Fsorry&newUserCallbackURL=%2Fnew",
        ),
    ],
)
def test_the_sign_in_page_from_which_it_goes_there(target, expected):
    assert sign_in_address(target, AUTH) == expected


def test_where_it_goes_when_the_sign_in_failed(subtests):
    for target, expected in (
        (WAITING, None),
        (PLAIN, None),
        (FULL, f"{APP}/sorry?error=access+denied"),
        (FirstPartyReturn("/", "/sorry?a=b", None), f"{AUTH}/sorry?a=b&error=access+denied"),
        (FirstPartyReturn("/", "/sorry#a?b", None), f"{AUTH}/sorry?error=access+denied#a?b"),
    ):
        with subtests.test(target=target, expected=expected):
            assert error_address(target, AUTH, "access denied") == expected
