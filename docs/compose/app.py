"""A first-party application in a container: it asks the service who is signed in."""

import json
import os
from html import escape
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen
from wsgiref.simple_server import make_server

AUTH_URL = os.environ["AUTH_URL"]
APP_URL = os.environ["APP_URL"]


def signed_in(environ):
    """Return the person whose browser it is, or None."""
    request = Request(
        # This application relays no cookies, so it must not have the session extended.
        f"{AUTH_URL}/api/auth/get-session?disableRefresh=true",
        headers={"Cookie": environ.get("HTTP_COOKIE", "")},
    )
    with urlopen(request, timeout=5) as answer:
        session = json.load(answer)
    return session and session["user"]


def application(environ, start_response):
    """Greet the person, or lead to the page on which people sign in."""
    status = "200 OK"
    try:
        user = signed_in(environ)
    except URLError:
        status, user = "502 Bad Gateway", None
    if status != "200 OK":
        page = f"<p>The authentication service does not answer at {AUTH_URL}</p>"
    elif user:
        page = f"<p>Signed in as {escape(user['name'])}</p>"
    else:
        query = urlencode({"callbackURL": f"{APP_URL}/"})
        page = f'<a href="{AUTH_URL}/sign-in?{query}">Sign in</a>'
    headers = [("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store")]
    start_response(status, headers)
    return [page.encode()]


if __name__ == "__main__":
    # Every address: what the container publishes is decided outside of it.
    with make_server("0.0.0.0", 3000, application) as server:
        print(f"Serving on {APP_URL}", flush=True)
        server.serve_forever()
