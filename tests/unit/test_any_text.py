"""Whatever text strangers send, no parser fails, and none accepts what the service did not make."""

from base64 import b64encode, urlsafe_b64encode
from contextlib import suppress
from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oauthlib.oauth2.rfc6749.errors import OAuth2Error

from authservice import clock
from authservice.crypto import jwt, signing_keys
from authservice.crypto.secret_values import digest
from authservice.crypto.server_secret import ServerSecret
from authservice.oauth import client_authentication
from authservice.oauth.authorize.pending import InteractionError, PendingRequest
from authservice.oauth.claims_parameter import RequestedClaims
from authservice.oauth.parameters import Parameters
from authservice.services.clients import redirect_uris
from authservice.web.request.cookies import Cookies
from authservice.web.request.origins import Origins
from tests.unit.settings.loading import local

LOCAL = local()
SECRET = ServerSecret(bytes(range(32)))
COOKIES = Cookies(LOCAL, SECRET)
ORIGINS = Origins(LOCAL)
KEY = signing_keys.generate("ES256", "k")
KEYS = signing_keys.verification_keys([signing_keys.public_jwk(KEY)])
HEADER = urlsafe_b64encode(b'{"alg":"ES256","kid":"k","typ":"JWT"}').rstrip(b"=").decode()
SEALED = SECRET.seal(
    "interaction", {"browser": digest("browser")}, clock.now() + timedelta(minutes=1)
)

# What the parsers look for, by itself and among anything else.
_LOOKED_FOR = st.sampled_from(
    [
        *":/?#[]@\\;,.=&%\"'{}() \t\r\n\0-_",
        *("//", "..", "%2f", "%00", "\\u0041", "1e9", "a", "{}", "[]", "null"),
        *("localhost", "app.example.com", "[::1]", "127.0.0.1", "javascript:", "http://"),
        *("e30", HEADER, '{"essential":true}', "Basic ", "Bearer ", SEALED),
    ]
)
_ANYTHING = st.one_of(
    _LOOKED_FOR,
    st.text(max_size=20),
    st.text(st.characters(max_codepoint=255), max_size=20),
)
ANY_TEXT = given(
    text=st.one_of(
        st.lists(_LOOKED_FOR, max_size=5).map("".join),
        st.lists(_ANYTHING, max_size=12).map("".join),
    )
)

pytestmark = pytest.mark.no_cover  # so many calls take three times as long where it counts


def often(test):
    # The same each time: ./run prove fuzz sends others.
    return settings(max_examples=300, derandomize=True, deadline=None, database=None)(
        ANY_TEXT(test)
    )


@often
def test_no_text_is_a_cookie_of_ours(text):
    for header in (text, f"{COOKIES.session_name}={text}", f"a=b; {COOKIES.companion_name}={text}"):
        assert list(COOKIES.session_tokens(header)) == []
        assert not COOKIES.has_companion_of(header, "session", "token")
        COOKIES.browser(header)
        COOKIES.has_attempt(header, text)


@often
def test_no_text_is_a_pending_request(text):
    for attempt in {text, SEALED[: len(text)] + text, SEALED + text} - {SEALED}:
        with pytest.raises(InteractionError):
            PendingRequest.unseal(SECRET, "browser", attempt)


@often
def test_what_may_be_registered_names_the_host_that_a_browser_would_go_to(text):
    registered = "http://127.0.0.1:8080/callback"
    for uri in (
        text,
        f"https://app.example.com{text}",
        f"http://127.0.0.1:8{text}",
        f"com.example.app://{text}",
        f"{registered}{text}",
    ):
        parts = urlsplit(uri) if redirect_uris.problem_with(uri) is None else None
        if parts is not None:
            redirect_uris.is_native(uri)
            assert parts.scheme not in {"", "javascript", "data", "vbscript"}
            assert not parts.fragment
        if redirect_uris.matches(registered, uri):
            assert urlsplit(uri)._replace(netloc="127.0.0.1:8080").geturl() == registered


@often
def test_nobody_is_led_away(text):
    ORIGINS.trusts(text)
    for address in (text, f"/{text}", f"http://localhost{text}", f"http://{text}"):
        for sender in (None, "http://localhost:3000"):
            allowed = ORIGINS.return_address(address, sender)
            assert allowed is None or _stays_here(allowed)


def _stays_here(address):
    """Read an address as browsers do: backslashes are slashes, and some characters vanish."""
    read = address.strip("".join(map(chr, range(33)))).translate({9: None, 10: None, 13: None})
    read = read.replace("\\", "/")
    if not read.startswith("/"):
        host = read.partition("://")[2].partition("/")[0].partition("?")[0].partition("#")[0]
        name = host.rpartition("@")[2].partition(":")[0] if "[" not in host else host[:5]
        return name in {"localhost", "127.0.0.1", "[::1]"} or name.endswith(".localhost")
    return not read.startswith("//")


@often
def test_no_text_is_a_jwt_of_ours(text):
    encoded = urlsafe_b64encode(text.encode("utf-8", "replace")).rstrip(b"=").decode()
    for token in (text, f"{HEADER}.{text}", f"{HEADER}.e30.{text}", f"{encoded}.{encoded}.AA"):
        jwt.key_id(token)
        assert jwt.verify(token, KEYS, typ="JWT") is None


@often
def test_no_credentials_make_their_reader_stumble(text):
    encoded = b64encode(text.encode("utf-8", "replace")).decode()
    for header in (text, f"Basic {text}", f"Basic {encoded}"):
        with suppress(OAuth2Error):
            client_authentication._credentials(header, Parameters({}, frozenset()))


@often
def test_no_claims_parameter_makes_its_reader_stumble(text):
    for content in (text, f'{{"userinfo":{text}}}', f'{{"id_token":{{"sub":{text}}}}}'):
        with suppress(ValueError):
            RequestedClaims.parse(content)
