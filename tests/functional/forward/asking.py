"""What a proxy asks, for whom, and where it leads them."""

from urllib.parse import parse_qs, urlsplit

from tests.helpers.production import production_browser

PROXY = "10.0.0.1"
APP = "https://app.example.com/"
NAVIGATION = {"Sec-Fetch-Mode": "navigate"}


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


def callback_of(address):
    """Return where a sign-in address leads back to."""
    parts = urlsplit(address)
    assert f"{parts.scheme}://{parts.netloc}{parts.path}" == "https://auth.example.com/sign-in"
    return parse_qs(parts.query, strict_parsing=True)["callbackURL"][0]
