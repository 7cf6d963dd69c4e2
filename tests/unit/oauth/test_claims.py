"""From scope to claims."""

from datetime import UTC, datetime

import pytest

from authservice.oauth import claims
from authservice.services.people.users import User
from tests.unit.settings.loading import local, production

SETTINGS = local()
CHANGED = datetime(2026, 1, 2, 3, 4, 5, 678000, tzinfo=UTC)


def user(name="Ada Lovelace", image="https://example.com/a.png", *, verified=True):
    known = {"username": "ada-l", "groups": ("acme", "acme/platform", "other")}
    return User("ada", name, "ada@example.com", verified, image, CHANGED, CHANGED, **known)


def test_a_name_is_split_only_where_it_has_two_parts(subtests):
    for name, expected in (
        ("Ada Lovelace", {"name": "Ada Lovelace", "given_name": "Ada", "family_name": "Lovelace"}),
        (
            "Ada King Lovelace",
            {
                "name": "Ada King Lovelace",
                "given_name": "Ada King",
                "family_name": "Lovelace",
            },
        ),
        ("Ada", {"name": "Ada"}),
        (" Ada ", {"name": " Ada "}),
        (
            "Ada  Lovelace",
            {"name": "Ada  Lovelace", "given_name": "Ada", "family_name": "Lovelace"},
        ),
        ("", {}),
    ):
        with subtests.test(name=name, expected=expected):
            found = claims.of_user(user(name, image=None), SETTINGS, ["profile"])

            always = {"preferred_username": "ada-l", "updated_at": int(CHANGED.timestamp())}
            assert found == expected | always


@pytest.mark.requirement("OIDC-CORE-5.4-3")
def test_scopes_decide_which_claims_there_are(subtests):
    for scopes, names in (
        ([], set()),
        (["openid"], set()),
        (["offline_access", "unknown"], set()),
        (["email"], {"email", "email_verified"}),
        (
            ["profile"],
            {"name", "given_name", "family_name", "preferred_username", "picture", "updated_at"},
        ),
        (["groups"], {"groups"}),
        (
            ["openid", "profile", "email", "email", "groups"],
            set(claims.supported(SETTINGS)) - {"sub"},
        ),
    ):
        with subtests.test(scopes=scopes, names=names):
            assert set(claims.of_user(user(), SETTINGS, scopes)) == names


@pytest.mark.requirement("OIDC-CORE-5.1-2")
def test_an_address_is_told_when_it_is_verified_and_not_otherwise():
    verified = claims.of_user(user(verified=True), SETTINGS, ["email"])
    unverified = claims.of_user(
        user(verified=False), SETTINGS, ["email"], ["email", "email_verified"]
    )

    assert verified == {"email": "ada@example.com", "email_verified": True}
    assert unverified == {}


def test_groups_are_those_of_organizations_that_the_settings_name_now(subtests):
    for ini, environ, told in (
        ({}, {}, {}),
        ({"claims.groups_from": "acme"}, {}, {"groups": ("acme", "acme/platform")}),
        (
            {"admission.organizations": "team:other/x"},
            {"ADMISSION_EVERYONE": None},
            {"groups": ("other",)},
        ),
        (
            {"claims.groups_from": "acme", "admission.organizations": "other"},
            {"ADMISSION_EVERYONE": None},
            {"groups": ("acme", "acme/platform", "other")},
        ),
        ({"claims.groups_from": "empty"}, {}, {"groups": ()}),
    ):
        with subtests.test(ini=ini, environ=environ, told=told):
            settings = production(ini, environ)

            assert claims.of_user(user(), settings, ["groups"]) == told
            assert claims.of_user(user(), settings, [], ["groups"]) == told
            assert ("groups" in claims.supported(settings)) == bool(ini)
