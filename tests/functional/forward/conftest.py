"""A service that a proxy asks about requests to applications of its site."""

import pytest

from authservice.models import user
from tests.functional.forward.asking import PROXY, Proxy
from tests.helpers.production import production_app, signed_in_cookies


@pytest.fixture
def serve(make_app, monkeypatch):
    """Start the service with a proxy that it trusts, and other settings."""
    trusted = {"auth__trusted_proxies": f"{PROXY} 127.0.0.1"}
    return lambda **changes: production_app(make_app, monkeypatch, **(trusted | changes))


@pytest.fixture
def app(serve):
    return serve(claims__groups_from="acme")


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
