"""A service that a proxy asks about requests to applications of its site."""

import pytest

from authservice.models import user
from tests.helpers.production import production_app, production_browser, signed_in_cookies

PROXY = "10.0.0.1"


@pytest.fixture
def serve(make_app, monkeypatch):
    """Start the service with a proxy that it trusts, and other settings."""
    trusted = {"auth__trusted_proxies": f"{PROXY} 127.0.0.1"}
    return lambda **changes: production_app(make_app, monkeypatch, **(trusted | changes))


@pytest.fixture
def app(serve):
    return serve(claims__groups_from="acme")


class Proxy:
    """Asks the service about requests, for whoever sends them."""

    def __init__(self, app, cookies=""):
        self._browser = production_browser(app, cookies)
        self.cookies = cookies

    def ask(self, path, headers, *, query="", remote=PROXY, sender="203.0.113.7", method="GET"):
        """Return the answer, whatever its status."""
        self._browser.extra_environ["REMOTE_ADDR"] = remote
        self._browser.reset()
        address = f"/api/auth/forward/{path}{query}"
        headers = {"X-Forwarded-For": sender} | headers
        return self._browser._gen_request(method, address, headers=headers, expect_errors=True)

    def original(self, address, *, query="", headers=None, **options):
        """Ask as nginx does."""
        named = {} if address is None else {"X-Original-URL": address}
        return self.ask("auth-request", named | (headers or {}), query=query, **options)

    def forwarded(
        self,
        uri="/",
        *,
        method="GET",
        proto="https",
        host="app.example.com",
        headers=None,
        **options,
    ):
        """Ask as Caddy and Traefik do."""
        said = {"Method": method, "Proto": proto, "Host": host, "Uri": uri}
        said = {f"X-Forwarded-{name}": value for name, value in said.items() if value is not None}
        return self.ask("forward-auth", said | (headers or {}), **options)


@pytest.fixture
def stranger(app):
    """The proxy, asked by somebody who is not signed in."""
    return Proxy(app)


@pytest.fixture
def ada(app, database):
    """The proxy, asked by Ada, who is signed in."""
    return Proxy(app, signed_in_cookies(app, database))


@pytest.fixture
def change(database):
    """Change what is stored of everybody."""

    def to(**values):
        with database.transaction() as connection:
            connection.execute(user.update().values(**values))

    return to
