"""What is called, and what must hold.

``python -m tools.prove.parsers.targets NAME -atheris_runs=N`` tries one target. A target
takes text. Whatever it raises is a finding, and so is an answer that an independent reading
contradicts.
"""

import sys
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from urllib.parse import urlsplit

import atheris
from oauthlib.oauth2.rfc6749.errors import OAuth2Error

with atheris.instrument_imports(include=["authservice"]):
    from authservice import clock
    from authservice.crypto import jwt, signing_keys
    from authservice.crypto.secret_values import digest
    from authservice.crypto.server_secret import ServerSecret
    from authservice.oauth import client_authentication
    from authservice.oauth.authorize.pending import InteractionError, PendingRequest
    from authservice.oauth.claims_parameter import RequestedClaims
    from authservice.oauth.parameters import Parameters
    from authservice.services.clients import redirect_uris
    from authservice.settings import load_settings
    from authservice.web.origins import Origins
    from authservice.web.session.cookies import Cookies

_SECRET = ServerSecret(bytes(range(32)))
_SETTINGS = load_settings({"auth.mode": "local", "auth.url": "http://localhost:37960"}, {})
_COOKIES = Cookies(_SETTINGS, _SECRET)
_ORIGINS = Origins(_SETTINGS)
_KEY = signing_keys.generate("ES256", "k")
_KEYS = signing_keys.verification_keys([signing_keys.public_jwk(_KEY)])
_HEADER = urlsafe_b64encode(b'{"alg":"ES256","kid":"k","typ":"JWT"}').rstrip(b"=").decode()


class _WronglyAcceptedError(AssertionError):
    pass


def cookies(text: str) -> None:
    """No text is a session cookie or a companion that the service did not make."""
    for header in (
        text,
        f"{_COOKIES.session_name}={text}",
        f"a=b; {_COOKIES.companion_name}={text}",
    ):
        if list(_COOKIES.session_tokens(header)) or _COOKIES.has_companion_of(
            header, "session", "token"
        ):
            raise _WronglyAcceptedError
        _COOKIES.browser(header)
        _COOKIES.has_attempt(header, text)


def interactions(text: str) -> None:
    """No text is a pending request that the service did not make."""
    sealed = _SECRET.seal(
        "interaction", {"browser": digest("browser")}, clock.now() + timedelta(minutes=1)
    )
    for attempt in (text, sealed[: len(text)] + text, sealed + text):
        if attempt == sealed:
            continue
        with suppress(InteractionError):
            PendingRequest.unseal(_SECRET, "browser", attempt)
            raise _WronglyAcceptedError


def addresses(text: str) -> None:
    """What may be registered or returned to names the host that a browser would go to."""
    for uri in (text, f"https://app.example.com{text}", f"http://127.0.0.1:{text}"):
        if redirect_uris.problem_with(uri) is None:
            redirect_uris.is_native(uri)
            parts = urlsplit(uri)
            if parts.scheme in {"", "javascript", "data", "vbscript"} or parts.fragment:
                raise _WronglyAcceptedError
        registered = "http://127.0.0.1:8080/callback"
        if redirect_uris.matches(registered, uri) and urlsplit(uri).path != "/callback":
            raise _WronglyAcceptedError
    for address in (text, f"/{text}", f"http://localhost{text}"):
        if _ORIGINS.allows_return_to(address) and not _stays_here(address):
            raise _WronglyAcceptedError
    _ORIGINS.trusts(text)


def _stays_here(address: str) -> bool:
    """Read an address as browsers do: backslashes are slashes, and some characters vanish."""
    read = address.strip("".join(map(chr, range(33)))).translate({9: None, 10: None, 13: None})
    read = read.replace("\\", "/")
    if not read.startswith("/"):
        host = read.partition("://")[2].partition("/")[0].partition("?")[0].partition("#")[0]
        name = host.rpartition("@")[2].partition(":")[0] if "[" not in host else host[:5]
        return name in {"localhost", "127.0.0.1", "[::1]"} or name.endswith(".localhost")
    return not read.startswith("//")


def assertions(text: str) -> None:
    """No text is a JWT that the service did not sign, and no credentials make a reader stumble."""
    for token in (text, f"{_HEADER}.{text}", f"{_HEADER}.e30.{text}"):
        jwt.key_id(token)
        if jwt.verify(token, _KEYS, typ="JWT") is not None:
            raise _WronglyAcceptedError
    encoded = b64encode(text.encode("utf-8", "replace")).decode()
    for header in (text, f"Basic {text}", f"Basic {encoded}"):
        with suppress(OAuth2Error):
            client_authentication._credentials(header, Parameters({}, frozenset()))  # noqa: SLF001


def claims(text: str) -> None:
    """No claims parameter makes its reader stumble."""
    for content in (text, f'{{"userinfo":{text}}}', f'{{"id_token":{{"sub":{text}}}}}'):
        with suppress(ValueError):
            RequestedClaims.parse(content)


TARGETS: dict[str, Callable[[str], None]] = {
    "cookies": cookies,
    "interactions": interactions,
    "addresses": addresses,
    "assertions": assertions,
    "claims": claims,
}


def main(arguments: list[str]) -> None:
    """Call a target until its runs are over; a finding ends the process with a status."""
    target = TARGETS[arguments[1]]

    def one(data: bytes) -> None:
        # As a server hands bytes on: one character for each, or read as UTF-8.
        target(data[1:].decode("latin-1" if data[:1] < b"\x40" else "utf-8", "replace"))

    atheris.Setup([arguments[0], *arguments[2:]], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv)
