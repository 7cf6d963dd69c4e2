"""What the session cookie may hold: junk costs no query, and one bad value spoils no good one."""

import pytest
from sqlalchemy import select

from authservice.crypto.secret_values import digest
from authservice.models import session
from tests.helpers.browser import Browser
from tests.helpers.cookies import cookies_set_by
from tests.helpers.statements import statements  # noqa: F401  (a fixture)

GET_SESSION = "/api/auth/get-session"
NAME = "authservice.session_token"
JUNK = [
    "",
    "x",
    ".",
    "..",
    "a.b",
    "." + "A" * 43,
    "A" * 43,
    "A" * 43 + ".",
    "A" * 43 + "." + "A" * 43,
    "A" * 9000,
    "%41.%42",
    '"quoted"',
    "' OR 1=1 --.x",
    "\x7f.\x01",
    "ä.ä",
]


@pytest.fixture
def signed_in(app):
    """Give the cookies of a user who is signed in, by name."""
    browser = Browser(app)
    browser.sign_in()
    return dict(browser.cookies)


def _ask(app, header):
    browser = Browser(app)
    browser.extra_environ["HTTP_COOKIE"] = header
    return browser.get(GET_SESSION)


@pytest.mark.attack("OWASP-SESSION-1")
@pytest.mark.engines("sqlite")
def test_junk_is_refused_without_a_query(subtests, app, statements):  # noqa: F811
    for value in JUNK:
        with subtests.test(value=value):
            statements.clear()

            answer = _ask(app, f"{NAME}={value}")

            assert answer.body == b"null"
            assert statements == []
            assert "Set-Cookie" not in answer.headers


@pytest.mark.attack("OWASP-SESSION-2")
@pytest.mark.engines("sqlite")
def test_a_value_signed_elsewhere_is_junk(app, statements, signed_in):  # noqa: F811
    token, _, code = signed_in[NAME].rpartition(".")
    altered = code[:-2] + ("AA" if code[-2:] != "AA" else "BB")
    statements.clear()

    for value in (f"{token}.{altered}", f"{token}x.{code}", f"{code}.{token}", token):
        assert _ask(app, f"{NAME}={value}").body == b"null"
    assert statements == []


@pytest.mark.engines("sqlite")
def test_the_companions_value_is_no_session(app, statements, signed_in):  # noqa: F811
    statements.clear()

    companion = signed_in["authservice.session_host"]

    assert _ask(app, f"{NAME}={companion}; {NAME}=x.{companion}").body == b"null"
    assert statements == []


def test_of_several_cookies_of_the_name_the_good_one_counts(subtests, app, signed_in):
    ended = Browser(app)
    ended.sign_in()
    stale = ended.cookies[NAME]
    headers = {"Origin": "http://localhost:37960"}
    assert ended.post_json("/api/auth/sign-out", {}, headers=headers).status_int == 200

    for other in (*JUNK, stale):
        with subtests.test(other=other):
            good = f"{NAME}={signed_in[NAME]}"
            bad = f"{NAME}={other}"

            for header in (f"{good}; {bad}", f"{bad}; {good}", f"{bad};{good};{bad}"):
                assert _ask(app, header).json["user"]["id"] == "local-developer"


def test_of_two_sessions_begun_elsewhere_the_first_counts(app, signed_in):
    sibling = Browser(app)
    sibling.sign_in()
    header = f"{NAME}={signed_in[NAME]}; {NAME}={sibling.cookies[NAME]}"

    first = _ask(app, f"{NAME}={signed_in[NAME]}").json["session"]["id"]
    assert _ask(app, header).json["session"]["id"] == first


@pytest.mark.attack("FAILURES-38")
def test_a_cookie_of_another_name_is_not_read(app, signed_in):
    for name in (f"x{NAME}", f"{NAME}x", f"__Secure-{NAME}", NAME.upper()):
        assert _ask(app, f"{name}={signed_in[NAME]}").body == b"null"


def test_a_quoted_value_is_the_same_value(app, signed_in):
    assert _ask(app, f'{NAME}="{signed_in[NAME]}"').json is not None


@pytest.mark.attack("OWASP-SESSION-9")
def test_the_token_is_stored_as_a_digest_only(app, database, signed_in):
    token = signed_in[NAME].rpartition(".")[0]

    assert database.reader.scalars(select(session.c.token)).all() == [digest(token)]


def test_a_session_that_ended_is_null_and_forgotten(app, signed_in):
    browser = Browser(app)
    header = f"{NAME}={signed_in[NAME]}"
    browser.post_json(
        "/api/auth/sign-out", {}, headers={"Cookie": header, "Origin": browser.origin}
    )

    answer = _ask(app, header)

    assert answer.body == b"null"
    assert cookies_set_by(answer)[NAME].value == ""
