"""The service in this very process, with a user signed in and everything that they hold."""

import html
import random
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from authservice import main
from authservice.crypto.server_secret import local_secret
from authservice.database import schema
from authservice.database.database import Database
from authservice.services.clients import client_registration
from authservice.services.clients.client_metadata import ClientMetadata
from tools.bench.driver.browser import Browser
from tools.bench.driver.flow import Flow
from tools.bench.driver.http11 import Answer, get
from tools.bench.driver.load import Operation
from tools.bench.driver.wire import Exchange, perform
from tools.bench.driver.wsgi import Application, calling
from tools.bench.people.population import Client, Grant

HOST = "localhost:37960"
ORIGIN = f"http://{HOST}"
REDIRECT_URI = "https://app.example.com/callback"
BYE = "https://app.example.com/bye"
RESOURCE = "https://api.example.com/"
END_SESSION = "/api/auth/oauth2/end-session"
_HIDDEN = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)"')
# Shorter values are no secrets: a cookie may hold a word.
_LENGTH = 32


@dataclass(slots=True)
class Held:
    """What a user and their client hold at the moment."""

    # By the names of the parameters to which it belongs.
    good: dict[str, str]
    # What must stand in no line of the log.
    secrets: set[str]


class Service:
    """The application in local mode, on a database of its own."""

    def __init__(self, application: Application, database: Database, secret: bytes) -> None:
        """Register two clients: the one in whose name everything is sent, and another."""
        self.application = application
        self._exchange: Exchange = calling(application)
        metadata = ClientMetadata(
            name="<b>Fuzz & Co.</b>",
            redirect_uris=[REDIRECT_URI],
            post_logout_redirect_uris=[BYE],
            enable_end_session=True,
            skip_consent=True,
            resources=[RESOURCE],
        )
        with database.begin() as transaction:
            registered = [client_registration.register(transaction, metadata) for _ in range(2)]
        clients = [Client(id_, str(key), REDIRECT_URI) for id_, key in registered]
        self.client, self._other = clients
        self.database = database
        # What no answer may hold.
        self.untold = {secret.hex(), self.client.secret, self._other.secret}
        others = self._grant(self._other, self._signed_in())
        self.untold |= {others.access_token, others.refresh_token}

    def held(self, chance: random.Random) -> Held:
        """Sign a person in once more, and return all that there is to send."""
        browser = self._signed_in()
        grant = self._grant(self.client, browser)
        address = Flow(HOST, self.client).address
        answer = self._exchange(get(HOST, address, {"Cookie": browser.cookies}))
        code = parse_qs(urlsplit(answer.header("Location")).query)["code"][0]
        sign_in = self._fields(browser, "/sign-in?callbackURL=/")
        consent = self._fields(browser, f"{address}&prompt=consent")
        leaving = self._exchange(get(HOST, END_SESSION, {"Cookie": browser.cookies}))
        good = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        good |= sign_in | consent | _hidden(leaving)
        good |= {
            # The page to sign in has a token of its own.
            "csrf_token": chance.choice((sign_in, consent))["csrf_token"],
            "code": code,
            "code_verifier": "x" * 43,
            "refresh_token": grant.refresh_token,
            "access_token": grant.access_token,
            "token": chance.choice((grant.access_token, grant.refresh_token)),
            "grant_type": chance.choice(("authorization_code", "refresh_token")),
            "authorization": self.client.authorization,
            "cookies": browser.cookies,
            "origin": ORIGIN,
            "post_logout_redirect_uri": BYE,
            "callbackURL": f"{ORIGIN}/home",
            "errorCallbackURL": "/error",
            "newUserCallbackURL": "http://app.localhost:3000/new",
            "X-Original-URL": f"{ORIGIN}/closed",
            "X-Forwarded-Method": chance.choice(("GET", "POST")),
            "X-Forwarded-Proto": "http",
            "X-Forwarded-Host": HOST,
            "X-Forwarded-Uri": "/closed?x=1",
            "Sec-Fetch-Mode": "navigate",
            "extend": "1",
            "provider": "github",
            "choice": chance.choice(("sign-in", "continue")),
            "decision": chance.choice(("allow", "deny", "sign-out")),
            "claims": '{"userinfo":{"name":null}}',
            "response_mode": chance.choice(("query", "form_post")),
            # Blank is as good as not sent: with a value each of them is a refusal by itself.
            **dict.fromkeys(("request", "request_uri", "client_secret", "client_assertion"), ""),
            **dict.fromkeys(("prompt", "max_age", "id_token_hint", "display", "resource"), ""),
        }
        cookies = {pair.partition("=")[2] for pair in browser.cookies.split("; ")}
        secrets = {code, grant.refresh_token, grant.access_token} | cookies
        return Held(good, {secret for secret in secrets if len(secret) >= _LENGTH} | self.untold)

    def _signed_in(self) -> Browser:
        browser = Browser(HOST)
        perform(browser.sign_in(), self._exchange)
        return browser

    def _grant(self, client: Client, browser: Browser) -> Grant:
        flow = Flow(HOST, client)
        answer = self._exchange(flow.authorization_request(browser.cookies))
        return flow.grant(self._exchange(flow.token_request(answer)))

    def _fields(self, browser: Browser, address: str) -> dict[str, str]:
        pages = []

        def kept(request: bytes) -> Answer:
            pages.append(self._exchange(request))
            return pages[-1]

        perform(_opened(browser, address), kept)
        return _hidden(pages[-1])


@contextmanager
def service(**changes: str) -> Iterator[Service]:
    """Give the service on a new database, which goes with it; changes are those of settings."""
    with tempfile.TemporaryDirectory(prefix="prove-") as folder:
        file = Path(folder) / "service.sqlite"
        database = Database(f"sqlite:///{file}", synchronous="NORMAL")
        schema.migrate(database)
        resources = Path(folder) / "resources.toml"
        resources.write_text(f'["{RESOURCE}"]', encoding="utf-8")
        ini = {
            "auth.mode": "local",
            "auth.url": ORIGIN,
            "auth.database_url": f"sqlite:///{file}",
            "auth.sqlite_synchronous": "NORMAL",
            "auth.resources": str(resources),
            "auth.trusted_proxies": "127.0.0.1",
        } | changes
        application = main({}, **ini)
        try:
            yield Service(application, database, local_secret(str(file)))
        finally:
            application.registry.components.close()
            database.dispose()


def _opened(browser: Browser, address: str) -> Operation:
    yield from browser.open(address)


def _hidden(page: Answer) -> dict[str, str]:
    return {name: html.unescape(value) for name, value in _HIDDEN.findall(page.body.decode())}
