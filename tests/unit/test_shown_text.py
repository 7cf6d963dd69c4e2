"""Text from outside: what is blank to the eye, and what would disturb what stands around it."""

from authservice.services.people.shown_text import is_blank, settled


def test_what_shows_nothing_is_blank(subtests):
    for text in (
        "",
        " \t\u00a0\u2003",
        "\u200b\ufeff\u2060",
        "\u3164",
        "\u2800\uffa0",
        "\u0301\ufe0f",
    ):
        with subtests.test(text=text):
            assert is_blank(text)


def test_what_shows_anything_is_not(subtests):
    for text in ("x", "\u200bx", "é", "e\u0301", "7", ".", "🦊", "李", "ع", "한"):
        with subtests.test(text=text):
            assert not is_blank(text)


def test_what_people_write_stays_as_it_is(subtests):
    for text in (
        "Zoë",
        "Zoe\u0308",
        "👩\u200d👩\u200d👧",
        "❤\ufe0f",
        "שָׁלוֹם",
        "กี่",
        "नमस्ते",
        "Tiếng Việt",
    ):
        with subtests.test(text=text):
            assert settled(text) == text


def test_what_reorders_text_is_left_out():
    assert settled("a\u202eb\u2067c\u200fd") == "abcd"


def test_a_letter_keeps_a_few_marks():
    assert settled("Z" + "\u0353" * 200 + "a" + "\u0301" * 200) == (
        "Z" + "\u0353" * 5 + "a" + "\u0301" * 5
    )
