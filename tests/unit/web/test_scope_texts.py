"""Scopes in words: what is shared is what there is."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from authservice.services.people.users import User
from authservice.web.pages.scope_texts import scope_texts
from tests.unit.settings.loading import production

MOMENT = datetime(2026, 3, 1, tzinfo=UTC)
ADA = User("ada", "Ada", "ada@example.com", True, None, MOMENT, MOMENT)
PICTURE = "https://example.com/ada.png"
SETTINGS = production({"claims.groups_from": "acme"})


def test_what_is_there_of_the_profile_is_named(subtests):
    for image, username, said in (
        (None, None, "Your name"),
        (PICTURE, None, "Your name and your picture"),
        (None, "ada-l", "Your name and your username"),
        (PICTURE, "ada-l", "Your name, your username and your picture"),
    ):
        with subtests.test(image=image, username=username, said=said):
            person = replace(ADA, image=image, username=username)
            (profile,) = scope_texts(["profile"], person, SETTINGS)

            assert (profile.detail, profile.values) == (
                said,
                ("Ada", username) if username else ("Ada",),
            )


def test_a_name_that_is_the_login_is_shown_once():
    (profile,) = scope_texts(["profile"], replace(ADA, username="Ada"), SETTINGS)

    assert profile.values == ("Ada",)


@pytest.mark.parametrize("groups", [None, (), ("elsewhere",)])
def test_without_a_group_it_says_so(groups):
    (told,) = scope_texts(["groups"], replace(ADA, groups=groups), SETTINGS)

    assert told.values == ()
    assert told.detail == "No group is shared now. Those that become known later are shared."


def test_groups_are_shown_as_they_are_told():
    person = replace(ADA, groups=("acme", "acme/platform", "elsewhere"))
    (told,) = scope_texts(["groups"], person, SETTINGS)

    assert told.values == ("acme", "acme/platform")
