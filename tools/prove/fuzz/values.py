"""What is written where a value belongs: text of every kind that has broken a reader somewhere.

Hypothesis looks for the smallest request that breaks a rule, so what comes first is the simplest.
"""

from collections.abc import Callable

from hypothesis import strategies as st

# Whatever of this stands in a page unescaped is a script in the making.
CANARY = "zq7<i>\"'zq8"
ELSEWHERE = "evil.example"

_STRANGE = (
    "",
    " ",
    "\t",
    "\x00",
    "a\x00b",
    "\r\n",
    "a\r\nSet-Cookie: zq7=1",
    "a\r\n\r\n<i>zq7",
    "\x7f",
    "\x1b[31m",
    "\u0085",
    "\u2028",
    "\u202e\ufeff",
    "é",
    "e\u0301",
    "ß",
    "\u017f",
    "\u0130",
    "\U0001f642",
    "\ufffe",
    "\uff1cscript\uff1e",
    "%",
    "%zz",
    "%00",
    "%0d%0a",
    "%25%30%30",
    "+",
    "{}|\\^`[]",
    "'; DROP TABLE user; --",
    "{{7*7}}${7*7}%(a)s{0}",
    "../../etc/passwd",
    "true",
    "null",
    "[]",
    "{}",
    '{"a":' * 50,
    "-1",
    "0",
    "\u0663",
    "1e309",
    "NaN",
    "9" * 30,
    "a.b.c",
    "eyJhbGciOiJub25lIn0.e30.",
    "eyJhbGciOiJIUzI1NiIsImtpZCI6Ii4uLy4uLyJ9.e30.AAAA",
    f"https://{ELSEWHERE}/",
    f"//{ELSEWHERE}",
    f"/\\{ELSEWHERE}",
    f"https://app.example.com/callback@{ELSEWHERE}",
    f"https://app.example.com.{ELSEWHERE}/callback",
    f"http://localhost@{ELSEWHERE}/",
    f"http://localhost.{ELSEWHERE}/",
    f"http://{ELSEWHERE}\\@localhost/",
    f"https://{ELSEWHERE}#@localhost/",
    "javascript:alert(1)//localhost",
    "data:text/html,<i>zq7",
    "http://[",
    "http://localhost:99999/",
    "http://localhost:\u0663/",
)


def strange(draw: st.DrawFn, good: str) -> str:
    """Draw something in place of a good value, often something that is nearly it."""
    return draw(_WAYS)(draw, good)


_ANY = st.sampled_from(_STRANGE)
_ANY_BEHIND = st.sampled_from((*_STRANGE, CANARY))
_SIZES = st.sampled_from((255, 256, 1024, 4096, 8192, 16384, 70000))
_CHARACTERS = st.characters(max_codepoint=0x24F)


def _other(draw: st.DrawFn, _good: str) -> str:
    return draw(_ANY)


def _canary(_draw: st.DrawFn, _good: str) -> str:
    return CANARY


def _before(draw: st.DrawFn, good: str) -> str:
    return draw(_ANY) + good


def _behind(draw: st.DrawFn, good: str) -> str:
    return good + draw(_ANY_BEHIND)


def _in_the_other_case(_draw: st.DrawFn, good: str) -> str:
    return good.swapcase()


def _cut(draw: st.DrawFn, good: str) -> str:
    return good[: draw(st.integers(0, len(good)))]


def _with_another_character(draw: st.DrawFn, good: str) -> str:
    place = draw(st.integers(0, len(good)))
    return f"{good[:place]}{draw(_CHARACTERS)}{good[place + 1 :]}"


def _oversized(draw: st.DrawFn, _good: str) -> str:
    return "x" * draw(_SIZES)


_Way = Callable[[st.DrawFn, str], str]
_WAYS: st.SearchStrategy[_Way] = st.sampled_from(
    (
        *(_other, _other, _other, _canary, _behind, _before),
        *(_in_the_other_case, _cut, _with_another_character, _oversized),
    )
)
