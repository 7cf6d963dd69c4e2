"""Requests that no browser would send, and what must hold for the answer to any of them."""

from webtest import TestRequest

from tests.helpers.browser import ORIGIN, Browser
from tests.helpers.junk import FORM


class StrangeRequests:
    """Sends anything; every answer is held against the same rules."""

    def __init__(self, browser, client):
        self.browser = browser
        self.browser.lint = False
        self.allowed = (f"{ORIGIN}/", f"{client.redirect_uri}?")
        self.form_targets = ("/", client.redirect_uri)

    @classmethod
    def without_session(cls, app, client):
        return cls(Browser(app), client)

    def send(self, method, path, *, query="", body=b"", content_type=FORM, environ=()):
        request = TestRequest.blank("/", self.browser.extra_environ)
        request.body = body
        request.environ |= {
            "REQUEST_METHOD": method,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "CONTENT_TYPE": content_type,
        } | dict(environ)
        answer = self.browser.do_request(request, expect_errors=True)
        self._check(answer, f"{method} {path!r} {query[:80]!r} {body[:80]!r} {environ!r:.200}")
        return answer

    def _check(self, answer, sent):
        assert answer.status_int < 500, sent
        for name, value in answer.headers.items():
            assert not {"\r", "\n", "\x00"} & set(name + value), sent
        location = answer.headers.get("Location", self.allowed[0])
        assert location.startswith(self.allowed), f"{sent} leads to {location}"
        if answer.content_type == "text/html" and answer.body:
            self._check_page(answer, sent)

    def _check_page(self, page, sent):
        assert "<script>" not in page.text, sent
        assert "Traceback" not in page.text, sent
        for form in page.html.find_all("form"):
            assert form["action"].startswith(self.form_targets), sent
            assert not form["action"].startswith("//"), sent
