"""A stand-in of the code-hosting provider: a process of its own, fresh for each test."""

import http.client
import json
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.unit.settings.loading import PRODUCTION_ENVIRON

_ROOT = Path(__file__).parents[2]
CALLBACK_URL = "http://localhost:37960/api/auth/callback/github"


class IdentityProviderStandin:
    """The stand-in as tests see it."""

    client_id = "Ov23liStandInClient0"
    client_secret = "standin-client-secret-0123456789abcdef01"

    def __init__(self, url):
        self.url = url
        self.authorize_url = f"{url}/login/oauth/authorize"
        self.token_url = f"{url}/login/oauth/access_token"
        self.api_url = f"{url}/api"

    @property
    def ini(self):
        """What an ini file says to use it; the secret belongs into PROVIDER_CLIENT_SECRET."""
        return {
            "provider.client_id": self.client_id,
            "provider.authorize_url": self.authorize_url,
            "provider.token_url": self.token_url,
            "provider.api_url": self.api_url,
            # It plays github.com.
            "provider.trust_emails": "true",
        }

    def application(self, **changes):
        """Change the registered application: client_id, client_secret, callback_url."""
        self._control("application", changes)

    def account(self, login, **changes):
        """Change or add an account: id, name, email, emails, avatar_url, suspended_at, blocked,
        managed_by.
        """
        self._control("account", {"login": login, **changes})

    def organization(self, name, **changes):
        """Change or add an organization: login, id, members, saml, restricted, hidden,
        installation, suspended.

        ``members`` is a dict of logins, with ``active`` or ``pending``. ``teams`` is a dict of
        slugs, each with what changes of the team: slug, id, parent, members, secret.
        """
        self._control("organization", {"name": name, **changes})

    def app(self, **changes):
        """Register a GitHub App, or change it: id, client_id, public_key, permissions, spent.

        It is installed in organizations that have the number of an ``installation``. ``spent`` is
        a dict of organizations, with how many of the hour's questions were asked in each.
        """
        self._control("app", changes)

    def forget(self, kind, name):
        """Delete an ``account``, an ``organization``, or a ``team`` such as ``acme/platform``."""
        self._control("forget", {kind: name})

    def fault(self, path, kind):
        """Let an address fail from now on; the kinds are those of the stand-in's faults."""
        self._control("fault", {"path": path, "kind": kind})

    @contextmanager
    def failing(self, path, kind):
        """Let an address fail for a while."""
        self.fault(path, kind)
        try:
            yield
        finally:
            self.repair(path)

    def repair(self, path):
        """Let an address answer again; anyone who waits there goes on waiting."""
        self._control("repair", {"path": path})

    def advance(self, seconds):
        """Put the stand-in's clock forward."""
        self._control("advance", {"seconds": seconds})

    def requests(self, path=None):
        """Return the requests that it received so far, at one address or at all."""
        received = json.loads(self._control("requests", {}))
        return [request for request in received if path in {None, request["path"]}]

    def spent(self, organization):
        """Return how many questions the App has asked in an organization, of 5,000 in an hour."""
        return json.loads(self._control("spent", {})).get(organization, 0)

    def reset(self):
        self._control("reset", {})

    def allow(self, authorization_url, login="octocat"):
        """Sign in and allow at once; return where the browser is sent."""
        return self.get(f"{authorization_url}&login={login}")[1]["Location"]

    def get(self, address, **headers):
        """Return status, headers and body of a GET, without following where it leads."""
        return self._send("GET", address, None, headers)

    def post(self, address, body, **headers):
        """Return status, headers and body of a form's POST."""
        headers = {"Content-Type": "application/x-www-form-urlencoded", **headers}
        return self._send("POST", address, body, headers)

    def _control(self, name, content):
        address = f"{self.url}/control/{name}"
        status, _, body = self._send("POST", address, json.dumps(content), {})
        assert status == 200, body
        return body

    def _send(self, method, address, body, headers):
        parts = urlsplit(address)
        assert f"http://{parts.netloc}" == self.url, address
        connection = http.client.HTTPConnection(parts.netloc, timeout=30)
        try:
            target = f"{parts.path}?{parts.query}" if parts.query else parts.path
            connection.request(method, target, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()


@pytest.fixture(scope="session")
def identity_provider_process():
    """Run the stand-in as long as the tests run; the value is its address."""
    command = [sys.executable, "-m", "tests.identity_provider_standin", "--port", "0"]
    with subprocess.Popen(command, cwd=_ROOT, stdout=subprocess.PIPE, text=True) as process:
        yield process.stdout.readline().strip()
        process.terminate()


@pytest.fixture
def identity_provider_standin(identity_provider_process):
    standin = IdentityProviderStandin(identity_provider_process)
    yield standin
    standin.reset()


@pytest.fixture
def standin(identity_provider_standin):
    """The identity provider, which knows the application of a service in production."""
    identity_provider_standin.application(
        callback_url="https://auth.example.com/api/auth/callback/github",
        client_secret=PRODUCTION_ENVIRON["PROVIDER_CLIENT_SECRET"],
    )
    return identity_provider_standin
