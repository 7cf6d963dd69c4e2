"""The claims parameter: what of it is understood, and which texts are refused."""

import json

import pytest

from authservice.oauth.claims_parameter import RequestedClaims


def parsed(**members):
    return RequestedClaims.parse(json.dumps(members))


def test_an_absent_parameter_asks_for_nothing():
    assert RequestedClaims.parse(None) == RequestedClaims()


@pytest.mark.requirement("OIDC-CORE-5.5-3")
def test_nothing_known_asks_for_nothing(subtests):
    for members in (
        {},
        {"userinfo": {}},
        {"userinfo": None, "id_token": None},
        {"unheard_of": 3},
        {"userinfo": {"nickname": None, "sub": None, "https://a.example/claim": {}}},
    ):
        with subtests.test(members=members):
            assert parsed(**members) == RequestedClaims()


def test_known_claims_are_kept_for_each_place_in_their_order():
    found = parsed(
        userinfo={"picture": None, "nickname": None, "name": {"essential": True}},
        id_token={"email": {}, "auth_time": {"essential": True}},
    )

    assert found.userinfo == ("picture", "name")
    assert found.id_token == ("email",)


def test_the_scopes_are_those_that_would_have_brought_the_claims(subtests):
    for userinfo, id_token, scopes in (
        ([], [], ()),
        (["name"], [], ("profile",)),
        ([], ["email_verified"], ("email",)),
        (["email", "email_verified"], ["picture", "updated_at"], ("profile", "email")),
    ):
        with subtests.test(userinfo=userinfo, id_token=id_token, scopes=scopes):
            found = parsed(userinfo=dict.fromkeys(userinfo), id_token=dict.fromkeys(id_token))

            assert found.scopes == scopes


@pytest.mark.requirement("OIDC-CORE-5.5-4")
def test_another_shape_is_refused_in_words_that_name_it(subtests):
    for text in (
        "",
        "name",
        "{",
        "null",
        "3",
        '"userinfo"',
        "[]",
        '["userinfo"]',
        '{"userinfo": []}',
        '{"userinfo": "name"}',
        '{"id_token": true}',
        '{"id_token": {"email": true}}',
        '{"userinfo": {"name": "Ada"}}',
        '{"userinfo": {"name": ["Ada"]}}',
        '{"userinfo": {"unknown": 1}}',
        "[" * 100_000,
        "9" * 5000,
    ):
        with (
            subtests.test(text=text),
            pytest.raises(ValueError, match=r"^claims must be a JSON object with the members"),
        ):
            RequestedClaims.parse(text)


@pytest.mark.requirement("OIDC-CORE-5.5.1-1")
def test_a_wanted_person_is_found_in_either_place(subtests):
    for place in ("userinfo", "id_token"):
        for requested in ({"value": "ada"}, {"values": ["ada"]}):
            with subtests.test(place=place, requested=requested):
                assert parsed(**{place: {"sub": requested}}).user_id == "ada"


def test_the_person_of_userinfo_comes_first():
    found = parsed(userinfo={"sub": {"value": "ada"}}, id_token={"sub": {"value": "grace"}})

    assert found.user_id == "ada"


def test_no_person_is_made_of_another_value(subtests):
    for requested in (None, {}, {"value": 3}, {"values": []}, {"values": "ada"}):
        with subtests.test(requested=requested):
            assert parsed(userinfo={"sub": requested}).user_id is None


@pytest.mark.requirement("OIDC-CORE-5.5.1.1-2")
def test_only_an_essential_acr_binds(subtests):
    for requested, expected in (
        (None, None),
        ({"values": ["1"]}, None),
        ({"essential": False, "values": ["1"]}, None),
        ({"essential": "true", "value": "1"}, None),
        ({"essential": True}, ()),
        ({"essential": True, "value": "1"}, ("1",)),
        ({"essential": True, "values": ["1", 2, "0"]}, ("1", "0")),
    ):
        with subtests.test(requested=requested, expected=expected):
            assert parsed(id_token={"acr": requested}).acr_values == expected


def test_an_acr_for_userinfo_does_not_bind():
    assert parsed(userinfo={"acr": {"essential": True, "value": "1"}}).acr_values is None


def test_what_is_stored_comes_back():
    found = parsed(userinfo={"name": None}, id_token={"email": None})

    stored = json.loads(json.dumps(found.to_json()))

    assert RequestedClaims.from_json(stored) == found
    assert RequestedClaims.from_json(None) == RequestedClaims()
