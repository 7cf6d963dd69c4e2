"""How names and values become a query or a form: rightly, or in one of the many wrong ways."""

from collections.abc import Callable
from urllib.parse import quote, quote_plus

from hypothesis import strategies as st

Pairs = list[tuple[str, str]]

_HOW_MANY = st.sampled_from((0, 0, 0, 1, 1, 2))


def encoded(draw: st.DrawFn, pairs: Pairs) -> bytes:
    """Draw how the pairs are written, most of them as a browser writes them."""
    texts = [text.encode("utf-8", "surrogatepass") for pair in pairs for text in pair]
    parts = [quote_plus(text).encode() for text in texts]
    for _ in range(draw(_HOW_MANY) if parts else 0):
        place = draw(st.integers(0, len(parts) - 1))
        parts[place] = draw(_WRONG)(texts[place])
    written = [b"=".join(pair) for pair in zip(parts[::2], parts[1::2], strict=True)]
    return draw(_JOINED)(draw, written)


# One of the last three is overlong, one a surrogate, one a lonely byte: none of them is UTF-8.
_WRONG_WAYS: tuple[Callable[[bytes], bytes], ...] = (
    lambda raw: raw.translate(None, b"&=#\r\n\x00 "),
    lambda raw: quote(quote_plus(raw), safe="").encode(),
    lambda raw: "".join(f"%{byte:02X}" for byte in raw).encode(),
    lambda raw: quote_plus(raw.decode("utf-8", "replace").encode("utf-16")).encode(),
    *(
        lambda raw, end=end: quote_plus(raw).encode() + end
        for end in (b"%", b"%f", b"%zz", b"%u0041", b"%c0%af", b"%ed%a0%80", b"%ff")
    ),
)
_WRONG = st.sampled_from(_WRONG_WAYS)


def _rightly(_draw: st.DrawFn, written: list[bytes]) -> bytes:
    return b"&".join(written)


def _with_one_byte_changed(draw: st.DrawFn, written: list[bytes]) -> bytes:
    text = b"&".join(written)
    if not text:
        return b"\xff"
    place = draw(st.integers(0, len(text) - 1))
    return text[:place] + bytes([draw(_BYTES)]) + text[place + 1 :]


_BYTES = st.integers(0, 255)
_WAYS: tuple[Callable[[st.DrawFn, list[bytes]], bytes], ...] = (
    *[_rightly] * 60,
    lambda _, written: b";".join(written),
    lambda _, written: b"&".join([*written, b""]),
    lambda _, written: b"&".join([*written, *[b""] * 300]),
    lambda _, written: b"&".join([*written, *[b"a=1"] * 150]),
    lambda _, written: b"&".join(written).replace(b"=", b"", 1),
    _with_one_byte_changed,
)
_JOINED = st.sampled_from(_WAYS)
