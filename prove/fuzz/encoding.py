"""How names and values become a query or a form: rightly, or in one of the many wrong ways."""

import random
from collections.abc import Callable
from urllib.parse import quote, quote_plus

Pairs = list[tuple[str, str]]

_WRONGLY = 0.1


def encoded(chance: random.Random, pairs: Pairs) -> bytes:
    """Return the pairs, most of them as a browser writes them."""
    between = b";" if chance.random() < 0.01 else b"&"
    written = [_part(chance, name) + b"=" + _part(chance, value) for name, value in pairs]
    text = between.join(written)
    match chance.randrange(60):
        case 0:
            return text + b"&" * chance.choice((1, 300))
        case 1:
            return b"&".join([text, *[b"a=1"] * 150])
        case 2:
            return text.replace(b"=", b"", 1)
        case 3:
            return _with_one_byte_changed(chance, text)
        case _:
            return text


def _part(chance: random.Random, text: str) -> bytes:
    raw = text.encode("utf-8", "surrogatepass")
    if chance.random() < _WRONGLY:
        return chance.choice(_WRONG)(raw)
    return quote_plus(raw).encode()


# One of the last three is overlong, one a surrogate, one a lonely byte: none of them is UTF-8.
_WRONG: tuple[Callable[[bytes], bytes], ...] = (
    lambda raw: raw.translate(None, b"&=#\r\n\x00 "),
    lambda raw: quote(quote_plus(raw), safe="").encode(),
    lambda raw: "".join(f"%{byte:02X}" for byte in raw).encode(),
    lambda raw: quote_plus(raw.decode("utf-8", "replace").encode("utf-16")).encode(),
    *(
        lambda raw, end=end: quote_plus(raw).encode() + end
        for end in (b"%", b"%f", b"%zz", b"%u0041", b"%c0%af", b"%ed%a0%80", b"%ff")
    ),
)


def _with_one_byte_changed(chance: random.Random, text: bytes) -> bytes:
    if not text:
        return b"\xff"
    place = chance.randrange(len(text))
    return text[:place] + bytes([chance.randrange(256)]) + text[place + 1 :]
