"""A person's browser, as far as it takes: cookies, redirects, and the one form of a page.

Its ways are operations of the load driver: they yield requests and are sent the answers.
"""

from collections.abc import Generator
from http import HTTPStatus
from urllib.parse import urlsplit

from tools.bench.driver.form import Form
from tools.bench.driver.http11 import Answer, WrongAnswerError, get, post_form

APPLICATION = "http://localhost:3000/signed-in"

_REDIRECTS = {HTTPStatus.FOUND, HTTPStatus.SEE_OTHER}

Visit = Generator[bytes, Answer, Answer]


class Browser:
    """Walks through the pages of one host."""

    def __init__(self, host: str) -> None:
        self._host = host
        self._cookies: dict[str, str] = {}

    @property
    def cookies(self) -> str:
        """Return the Cookie header that the browser would send."""
        return "; ".join(f"{name}={value}" for name, value in self._cookies.items())

    def open(self, address: str) -> Visit:
        """Return what an address of the host answers in the end; foreign ones are not followed."""
        return (yield from self._follow(get(self._host, _path(address), self._headers())))

    def submit(self, page: Answer, button: str, value: str) -> Visit:
        """Return what follows when the page's form is sent with one of its buttons."""
        form = Form(page.body.decode())
        fields = form.fields | {button: value}
        return (
            yield from self._follow(post_form(self._host, form.action, fields, self._headers()))
        )

    def sign_in(self) -> Generator[bytes, Answer, None]:
        """Sign in by one click, and go back to the application that wants it."""
        page = yield from self.open(f"/sign-in?callbackURL={APPLICATION}")
        answer = yield from self.submit(page, "choice", "sign-in")
        signed_in = any(name.endswith(".session_token") for name in self._cookies)
        if answer.header("Location") != APPLICATION or not signed_in:
            raise WrongAnswerError(f"the sign-in ended with {answer.status}: {answer.body[:300]!r}")

    def _follow(self, request: bytes) -> Visit:
        answer = yield from self._send(request)
        while answer.status in _REDIRECTS:
            location = answer.header("Location")
            if urlsplit(location).netloc not in {"", self._host}:
                break
            answer = yield from self._send(get(self._host, _path(location), self._headers()))
        return answer

    def _send(self, request: bytes) -> Visit:
        answer = yield request
        for cookie in answer.headers("Set-Cookie"):
            name, _, value = cookie.partition(";")[0].partition("=")
            self._cookies[name] = value
        return answer

    def _headers(self) -> dict[str, str]:
        return {"Cookie": self.cookies} if self._cookies else {}


def _path(address: str) -> str:
    return urlsplit(address)._replace(scheme="", netloc="").geturl()
