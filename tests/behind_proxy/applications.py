"""The applications of the tests, told apart by the host that a request names.

Below the parent domain they share the session: the back end forwards the Cookie header and
relays what the service sets. ``client.other.test`` is an OpenID Connect client instead.
"""

import json
import secrets
import sys
from html import escape
from http.cookies import SimpleCookie
from urllib.parse import parse_qsl, unquote, urlencode
from wsgiref.simple_server import WSGIRequestHandler, make_server

from tests.behind_proxy.deployment import APP, AUTH, CLIENT
from tests.behind_proxy.https import Caller
from tests.helpers.relying_party import challenge_of

_HEAD = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>{name}</title>'
    '<meta name="viewport" content="width=device-width"><h1>{name}</h1>'
)


class Applications:
    """One WSGI application for every host."""

    def __init__(self, caller, client):
        self._caller = caller
        self._client = client
        self._verifiers = {}

    def __call__(self, environ, start_response):
        host, path = environ["HTTP_HOST"], environ["PATH_INFO"]
        handle = self._client_page if f"https://{host}" == CLIENT else self._shared_page
        status, headers, body = handle(host, path, environ)
        if onward := SimpleCookie(environ.get("HTTP_COOKIE", "")).get("leads_on_to"):
            status, headers = "302 Found", [("Location", unquote(onward.value))]
        content_type = ("Content-Type", "text/html; charset=utf-8")
        start_response(status, [content_type, *headers])
        return [f"{_HEAD.format(name=host)}{body}".encode()]

    def _shared_page(self, host, path, environ):
        cookies = environ.get("HTTP_COOKIE", "")
        if path == "/plant":  # what a sibling that went wrong could do
            return "200 OK", [("Set-Cookie", environ["QUERY_STRING"])], "<p>Planted"
        if path == "/sign-out":
            answer = self._caller.post_json(
                f"{AUTH}/api/auth/sign-out", {}, Cookie=cookies, Origin=APP
            )
            return "303 See Other", [("Location", "/"), *_set_cookies(answer)], ""
        answer = self._caller.get(f"{AUTH}/api/auth/get-session", Cookie=cookies)
        home = f"https://{host}/"
        here = urlencode({"callbackURL": home, "errorCallbackURL": f"{home}failed"})
        body = f'<p>Nobody is signed in</p><a href="{AUTH}/sign-in?{here}">Sign in</a>'
        if path == "/failed":
            body = f"<p>Not signed in: {escape(environ['QUERY_STRING'])}</p>"
        if answer.json is not None:
            user = answer.json["user"]
            body = f"<p>Signed in as {escape(user['name'])}, {escape(user['email'])}</p>"
            body += '<form method="post" action="/sign-out"><button>Sign out</button></form>'
        return "200 OK", _set_cookies(answer), body

    def _client_page(self, _host, path, environ):
        length = int(environ.get("CONTENT_LENGTH") or 0)
        form = environ["wsgi.input"].read(length).decode()
        sent = dict(parse_qsl(form or environ["QUERY_STRING"]))
        if path == "/sign-in":
            return "303 See Other", [("Location", self._authorization_request(sent))], ""
        if path != "/callback":
            return "200 OK", [], '<a href="/sign-in">Sign in</a>'
        if "error" in sent:
            return "200 OK", [], f"<p>No sign-in: {escape(sent['error'])}</p>"
        claims = self._claims(sent)
        return (
            "200 OK",
            [],
            f"<p>Signed in as {escape(claims['name'])}, {escape(claims['sub'])}</p>",
        )

    def _authorization_request(self, further):
        state, verifier = secrets.token_urlsafe(16), secrets.token_urlsafe(48)
        self._verifiers[state] = verifier
        parameters = {
            "response_type": "code",
            "client_id": self._client["client_id"],
            "redirect_uri": f"{CLIENT}/callback",
            "scope": "openid profile email offline_access",
            "state": state,
            "code_challenge": challenge_of(verifier),
            "code_challenge_method": "S256",
        } | further
        return f"{AUTH}/api/auth/oauth2/authorize?{urlencode(parameters)}"

    def _claims(self, sent):
        form = {
            "grant_type": "authorization_code",
            "code": sent["code"],
            "redirect_uri": f"{CLIENT}/callback",
            "code_verifier": self._verifiers.pop(sent["state"]),
            "client_id": self._client["client_id"],
            "client_secret": self._client["client_secret"],
        }
        token = self._caller.post_form(f"{AUTH}/api/auth/oauth2/token", form).json["access_token"]
        authorization = f"Bearer {token}"
        return self._caller.get(
            f"{AUTH}/api/auth/oauth2/userinfo", Authorization=authorization
        ).json


def _set_cookies(answer):
    return [("Set-Cookie", value) for value in answer.headers.get_all("Set-Cookie", [])]


class _Quiet(WSGIRequestHandler):
    def log_message(self, *_arguments):
        pass


def main():
    port, https_port, bundle, client = sys.argv[1:]
    applications = Applications(Caller(int(https_port), bundle), json.loads(client))
    server = make_server("127.0.0.1", int(port), applications, handler_class=_Quiet)
    print("Serving", flush=True)  # noqa: T201  (the test waits for this)
    server.serve_forever()


if __name__ == "__main__":
    main()
