"""Scopes in words: what is shared is what there is."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from authservice.services.users import User
from authservice.web.scope_texts import scope_texts

MOMENT = datetime(2026, 3, 1, tzinfo=UTC)
ADA = User("ada", "Ada", "ada@example.com", True, None, MOMENT, MOMENT)


@pytest.mark.parametrize(
    ("image", "said"),
    [(None, "Your name"), ("https://example.com/ada.png", "Your name and your picture")],
)
def test_a_picture_is_named_where_there_is_one(image, said):
    (profile,) = scope_texts(["profile"], replace(ADA, image=image))

    assert (profile.detail, profile.value) == (said, "Ada")
