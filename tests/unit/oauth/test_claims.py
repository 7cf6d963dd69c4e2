"""From scope to claims."""

from datetime import UTC, datetime

import pytest

from authservice.oauth import claims
from authservice.services.users import User

CHANGED = datetime(2026, 1, 2, 3, 4, 5, 678000, tzinfo=UTC)


def user(name="Ada Lovelace", image="https://example.com/a.png", *, verified=True):
    return User("ada", name, "ada@example.com", verified, image, CHANGED, CHANGED)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
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
    ],
)
def test_a_name_is_split_only_where_it_has_two_parts(name, expected):
    found = claims.of_user(user(name, image=None), ["profile"])

    assert found == expected | {"updated_at": int(CHANGED.timestamp())}


@pytest.mark.requirement("OIDC-CORE-5.4-3")
@pytest.mark.parametrize(
    ("scopes", "names"),
    [
        ([], set()),
        (["openid"], set()),
        (["offline_access", "unknown"], set()),
        (["email"], {"email", "email_verified"}),
        (["profile"], {"name", "given_name", "family_name", "picture", "updated_at"}),
        (["openid", "profile", "email", "email"], set(claims.SUPPORTED) - {"sub"}),
    ],
)
def test_scopes_decide_which_claims_there_are(scopes, names):
    assert set(claims.of_user(user(), scopes)) == names


@pytest.mark.requirement("OIDC-CORE-5.1-2")
def test_an_address_is_told_when_it_is_verified_and_not_otherwise():
    verified = claims.of_user(user(verified=True), ["email"])
    unverified = claims.of_user(user(verified=False), ["email"], ["email", "email_verified"])

    assert verified == {"email": "ada@example.com", "email_verified": True}
    assert unverified == {}
