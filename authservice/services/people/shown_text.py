"""Text from outside as people see it: whether anything is visible, and without its tricks."""

import unicodedata

# Characters that change the order in which others are read.
_REORDERING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
# Letters and symbols by their category, and yet nothing but room: fillers of Hangul and Braille.
_UNSEEN = frozenset("\u115f\u1160\u2800\u3164\uffa0")
_SEEN = frozenset("LNPS")  # letters, numbers, punctuation, symbols
# No script that is written sets more on one letter; beyond that they cover what stands around.
_MARKS = 5


def is_blank(text: str) -> bool:
    """Tell whether a text has no visible character."""
    return not any(
        unicodedata.category(character)[0] in _SEEN and character not in _UNSEEN
        for character in text
    )


def settled(text: str) -> str:
    """Return a text without what reorders it, and with a few marks on a letter at most."""
    shown = []
    marks = 0
    for character in text:
        marks = marks + 1 if unicodedata.category(character).startswith("M") else 0
        if marks <= _MARKS and character not in _REORDERING:
            shown.append(character)
    return "".join(shown)
